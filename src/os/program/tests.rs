//! Real programs: their children, their output and their end.

use tokio::sync::mpsc::channel;

use super::*;

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
