//! Real programs: their children, their output and their end.

use tokio::sync::mpsc::channel;

use super::*;

#[tokio::test]
async fn a_child_with_a_session_of_its_own_ends_with_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("setsid sleep 300 & echo $! > '{}'; wait", file.display());
    let words = ["sh", "-c", &script].map(str::to_owned);
    let running = Running::default();
    let shared = running.clone();
    let run = tokio::spawn(async move { run(&words, "{}", &shared).await });
    let until = async |is_done: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_done() {
            assert!(began.elapsed() < Duration::from_secs(8));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let pid = || std::fs::read_to_string(&file).unwrap_or_default();
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid().trim()));
        stat.unwrap_or_default()
    };
    until(&|| state().contains("(sleep)")).await;
    running.end();
    assert_eq!(run.await.unwrap(), Ok(false));
    // Whoever took it over may not have buried it yet.
    until(&|| !state().contains("(sleep)") || state().contains(") Z ")).await;
}

#[tokio::test]
async fn what_a_program_printed_counts_though_its_child_keeps_the_pipe_open() {
    let words = ["sh", "-c", "echo 1; sleep 20 & echo 2"].map(str::to_owned);
    let began = Instant::now();
    let longest = Duration::from_secs(15);
    let (send, mut pieces) = channel(9);
    let printed = output(&words, longest, 1000, send).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.recv().await {
        bytes.extend(piece);
    }
    assert!(printed.status.success());
    assert_eq!((printed.bytes, bytes.as_slice()), (4, b"1\n2\n".as_slice()));
    assert!(began.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn a_program_that_hangs_is_ended_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let after = folder.path().join("after");
    let script = format!("echo 1; (sleep 2; touch '{}') & wait", after.display());
    let words = ["sh", "-c", &script].map(str::to_owned);
    let began = Instant::now();
    let longest = Duration::from_millis(300);
    let ended = output(&words, longest, 1000, channel(9).0).await;
    assert!(matches!(ended, Err(NoOutput::TooLong)));
    assert!(began.elapsed() < Duration::from_secs(2));
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!after.exists());
}
