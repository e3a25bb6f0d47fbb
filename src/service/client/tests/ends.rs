//! Tables whose end cannot be verified.

use super::*;
use crate::mapping::{Mapping, Service};
use crate::service::connection::Connection;
use crate::testing::service::connection;

#[tokio::test]
async fn a_table_without_a_length_that_ends_within_a_row_is_taken_if_it_ends_there_again() {
    let table = "url = '{base_url}/{id}'\nformat = 'csv'\nauth = 'none'";
    let mapping = Mapping::read(&table.parse().unwrap()).unwrap();
    let rows = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\
        time_stamp,latitude,longitude\n1,60,5.25\n3601,60,5.50";
    let whole = format!("{rows}\n");
    // What each request is answered with, the last one from there on.
    for (answers, requests, last) in [
        (vec![whole.as_str()], 1, Some(5.5)),
        // The connection broke, and a digit is lost.
        (vec![&rows[..rows.len() - 2], &whole], 2, Some(5.5)),
        (vec![&rows[..rows.len() - 2], rows, rows], 3, Some(5.5)),
        // The service ends no last row.
        (vec![rows], 2, Some(5.5)),
        (
            vec![&rows[..rows.len() - 3], &rows[..rows.len() - 1], rows],
            3,
            None,
        ),
    ] {
        let sent: Vec<Vec<u8>> = answers
            .iter()
            .map(|sent| sent.as_bytes().to_vec())
            .collect();
        let responder = Responder::start(move |number, _| {
            Reply::Send(sent[number.min(sent.len() - 1)].clone())
        });
        let address = responder.address.clone();
        let service = Service {
            name: address.clone(),
            mapping: mapping.clone(),
        };
        let client = Client::new(Connection {
            service: Some(Arc::new(service)),
            ..connection(&address, &address, LONG)
        });
        let answer = ask(&client).await;
        let longitude = answer.ok().and_then(|answer| {
            let last = answer.records.transmissions.last()?;
            Some(last.position.longitude)
        });
        assert_eq!(
            (responder.requests().len(), longitude),
            (requests, last),
            "{answers:?}"
        );
    }
}
