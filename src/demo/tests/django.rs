//! The ways of a Django backend.

use super::*;
use crate::demo::Like;

async fn started() -> Running {
    start(Options {
        like: Like::Django,
        ..Options::default()
    })
    .await
    .unwrap()
}

async fn get(service: &Running, token: &str, place: &str) -> Response {
    let line = format!("GET /public/deployment/data/{place}");
    let headers = format!("Authorization: Bearer {token}\r\nAccept-Encoding: gzip\r\n");
    ask(&service.base_url, &line, &headers, "").await.unwrap()
}

#[tokio::test]
async fn such_a_service_answers_as_its_backend_does() {
    let service = started().await;
    let token = service.token.clone();
    let named = |label: &str| {
        let mut all = service.deployments.iter();
        all.find(|one| one.label == label).unwrap().uuid.to_string()
    };
    let sound = service.deployments[0].uuid.to_string();
    // The slash comes before the token.
    let moved = get(&service, "wrong", &format!("{sound}?field=latitude")).await;
    assert_eq!(moved.status, 301);
    let place = format!("/public/deployment/data/{sound}/?field=latitude");
    assert_eq!(moved.header("location"), Some(place.as_str()));
    for (token, uuid) in [("wrong", &sound), (&token, &named("of another user"))] {
        let refused = get(&service, token, &format!("{uuid}/")).await;
        assert_eq!(refused.status, 403);
        assert!(refused.json()["detail"].is_string());
    }
    let page = get(&service, &token, "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01/").await;
    assert_eq!(page.status, 500);
    assert!(String::from_utf8_lossy(&page.body).contains("<title>Server Error (500)</title>"));
    let capitals = get(&service, &token, &format!("{}/", sound.to_uppercase())).await;
    assert_eq!(
        (capitals.status, capitals.body.as_slice()),
        (200, &b"[]"[..])
    );

    let whole = get(&service, &token, &format!("{sound}/")).await;
    assert_eq!((whole.status, whole.header("etag")), (200, None));
    assert_eq!(whole.header("content-encoding"), None);
    let records = whole.json();
    let records = records.as_array().unwrap();
    let full = records[0].as_object().unwrap();
    assert_eq!(full.len(), 70);
    let size = whole.body.len() / records.len();
    assert!((3_500..4_500).contains(&size), "{size} bytes a record");
    let three = "field=time_stamp&field=latitude&field=longitude";
    let picked = get(&service, &token, &format!("{sound}/?{three}")).await;
    assert!(picked.body.len() * 30 < whole.body.len());
    assert_eq!(picked.json()[0].as_object().unwrap().len(), 3);

    let broken = named("with a NaN in it");
    assert_eq!(
        get(&service, &token, &format!("{broken}/")).await.status,
        500
    );
    let picked = get(&service, &token, &format!("{broken}/?{three}")).await;
    assert_eq!(picked.status, 200);
    assert!(!picked.json().as_array().unwrap().is_empty());
    let plant = ask(&service.sandbox_url, "POST /plants", "", "{}")
        .await
        .unwrap();
    assert_eq!(plant.status, 404);
}
