//! The described interface, over a real socket.

use serde_json::json;

use super::{Demo, ask};

#[tokio::test]
async fn a_track_is_an_array_of_records() {
    let demo = Demo::new().await;
    for deployment in &demo.0.deployments {
        let line = format!("GET /public/deployment/data/{}", deployment.id.uuid);
        let came = demo.base(&line).await;
        assert_eq!(came.status, 200);
        assert_eq!(came.header("content-type"), Some("application/json"));
        let records = came.json();
        let first = &records[0];
        for field in ["time_stamp", "latitude", "longitude"] {
            assert!(first[field].is_number(), "{first}");
        }
        assert!(records.as_array().unwrap().len() > 20);
    }
    let upper = demo
        .path()
        .to_uppercase()
        .replace("/PUBLIC/DEPLOYMENT/DATA", "/public/deployment/data");
    assert_eq!(demo.base(&format!("GET {upper}")).await.status, 200);
}

#[tokio::test]
async fn a_deployment_that_is_unknown_or_no_uuid_is_400() {
    let demo = Demo::new().await;
    for name in [
        "00000000-0000-0000-0000-000000000000",
        "x",
        "%2F",
        "%FF",
        "%20",
    ] {
        demo.base(&format!("GET /public/deployment/data/{name}"))
            .await
            .is_error(400);
    }
}

#[tokio::test]
async fn a_plant_is_created_at_the_sandbox_and_deleted_at_the_base() {
    let demo = Demo::new().await;
    let plant = r#"{"name":"Boje Süd","id":9007199254740993,"tag":"ice"}"#;
    let created = demo.create(plant).await.unwrap();
    assert_eq!(created.status, 201);
    assert_eq!(created.json(), json!({"name": "Boje Süd", "tag": "ice"}));
    assert_eq!(demo.0.plants()[0].id, 9_007_199_254_740_993);
    demo.create(plant).await.unwrap().is_error(409);

    demo.base("DELETE /plants/+9007199254740993")
        .await
        .is_error(404);
    let deleted = demo.base("DELETE /plants/9007199254740993").await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    demo.base("DELETE /plants/9007199254740993")
        .await
        .is_error(404);
    assert!(demo.0.plants().is_empty());
}

#[tokio::test]
async fn what_is_no_plant_is_400_and_creates_nothing() {
    let demo = Demo::new().await;
    for body in [
        "",
        "{}",
        "null",
        "[]",
        r#"["a",1,"b"]"#,
        r#"{"name":"a","id":1}"#,
        r#"{"name":"a","id":"1","tag":"b"}"#,
        r#"{"name":"a","id":1.5,"tag":"b"}"#,
        r#"{"name":"a","id":9223372036854775808,"tag":"b"}"#,
        r#"{"name":null,"id":1,"tag":"b"}"#,
        r#"{"name":"a","id":1,"tag":"b"} x"#,
    ] {
        demo.create(body).await.unwrap().is_error(400);
    }
    let plain = ask(
        &demo.0.sandbox_url,
        "POST /plants",
        &demo.authorization(),
        r#"{"name":"a","id":1,"tag":"b"}"#,
    )
    .await;
    plain.unwrap().is_error(400);
    assert!(demo.0.plants().is_empty());
}

#[tokio::test]
async fn without_the_token_everything_is_401() {
    let demo = Demo::new().await;
    let token = &demo.0.token;
    for headers in [
        String::new(),
        "Authorization: Bearer\r\n".to_owned(),
        "Authorization: Bearer wrong\r\n".to_owned(),
        format!("Authorization: Basic {token}\r\n"),
        format!("Authorization: Bearer {token}x\r\n"),
        format!("Authorization: {token}\r\n"),
        demo.authorization() + "Authorization: Bearer wrong\r\n",
    ] {
        for (url, line) in [
            (&demo.0.base_url, format!("GET {}", demo.path())),
            (&demo.0.base_url, "DELETE /plants/1".to_owned()),
            (&demo.0.sandbox_url, "POST /plants".to_owned()),
            (&demo.0.base_url, "GET /".to_owned()),
        ] {
            let came = ask(url, &line, &headers, "").await.unwrap();
            came.is_error(401);
            assert_eq!(came.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn everything_else_is_404() {
    let demo = Demo::new().await;
    for line in [
        "GET /",
        "GET /plants",
        "GET /plants/1",
        "DELETE /plants",
        "DELETE /plants/",
        "DELETE /plants/1/2",
        "DELETE /plants/x",
        "GET /public/deployment/data",
        "PUT /public/deployment/data/x",
        "OPTIONS /plants/1",
        "GET /demo",
    ] {
        demo.base(line).await.is_error(404);
    }
    let at_sandbox = format!("GET {}", demo.path());
    let came = ask(&demo.0.sandbox_url, &at_sandbox, &demo.authorization(), "").await;
    came.unwrap().is_error(404);
    let delete = ask(
        &demo.0.sandbox_url,
        "DELETE /plants/1",
        &demo.authorization(),
        "",
    )
    .await;
    delete.unwrap().is_error(404);
}

#[tokio::test]
async fn a_track_that_is_known_is_not_sent_again() {
    let demo = Demo::stopped(1.8e9).await;
    let first = demo.read("").await.unwrap();
    let tag = first.header("etag").unwrap().to_owned();
    for known in [
        tag.clone(),
        format!("\"x\", {tag}"),
        format!("W/{tag}"),
        "*".to_owned(),
    ] {
        let again = demo
            .read(&format!("If-None-Match: {known}\r\n"))
            .await
            .unwrap();
        assert_eq!((again.status, again.body.len()), (304, 0), "{known}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
    }
    let other = demo.read("If-None-Match: W/\"x\"\r\n").await.unwrap();
    assert_eq!(other.status, 200);
    // Another day gives another track.
    let later = Demo::stopped(1.9e9).await;
    let other = later
        .read(&format!("If-None-Match: {tag}\r\n"))
        .await
        .unwrap();
    assert_eq!(other.status, 200);
}
