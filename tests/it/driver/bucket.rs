//! A bucket that speaks as much of S3 as an export needs, and fails where a test
//! asks for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::home::Home;
use super::run::Run;
use super::wire::{Act, Request, Responder};

/// The secret key, which no message may hold.
pub(crate) const SECRET: &str = "sesame-of-the-bucket";

#[derive(Default)]
struct Held {
    objects: BTreeMap<String, Vec<u8>>,
    /// The parts of uploads that have not ended.
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    given_up: usize,
}

/// A bucket named `buoys`, on loopback.
pub(crate) struct Bucket {
    responder: Responder,
    held: Arc<Mutex<Held>>,
}

impl Bucket {
    /// A bucket that works.
    pub(crate) fn new() -> Self {
        Self::failing(|_| None)
    }

    /// A bucket that gives the reply of `fault` to a request, where it has one.
    pub(crate) fn failing(fault: impl Fn(&Request) -> Option<Act> + Send + Sync + 'static) -> Self {
        let held = Arc::new(Mutex::new(Held::default()));
        let shared = Arc::clone(&held);
        let responder = Responder::new(move |request, _| {
            fault(request).unwrap_or_else(|| shared.lock().unwrap().answer(request))
        });
        Self { responder, held }
    }

    /// Sets the address and the credentials in the environment of a program.
    pub(crate) fn run(&self, home: &Home, arguments: &[&str]) -> Run {
        run_at(home, &self.responder.base_url(), arguments)
    }

    /// The objects by their key.
    pub(crate) fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        self.held.lock().unwrap().objects.clone()
    }

    /// The numbers of uploads in progress, and of those that were given up.
    pub(crate) fn uploads(&self) -> (usize, usize) {
        let held = self.held.lock().unwrap();
        (held.uploads.len(), held.given_up)
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.responder.requests()
    }
}

/// A program with a bucket at an address in its environment.
pub(crate) fn run_at(home: &Home, endpoint: &str, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments)
        .env("AWS_ENDPOINT_URL", endpoint)
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_ACCESS_KEY_ID", "reader")
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env("AWS_REGION", "us-east-1")
}

/// An error as S3 has it; it repeats what was signed.
pub(crate) fn refusal(status: u16, code: &str) -> Act {
    let body = format!(
        "<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no {code} here</Message><StringToSign>{SECRET}</StringToSign></Error>"
    );
    Act::typed(status, "application/xml", &body)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

fn xml(body: &str) -> Act {
    Act::typed(200, "application/xml", body)
}

impl Held {
    fn answer(&mut self, request: &Request) -> Act {
        let (path, query) = request
            .target
            .split_once('?')
            .unwrap_or((&request.target, ""));
        let parameters: BTreeMap<String, String> = query
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (name.to_owned(), decoded(value)))
            .collect();
        let path = decoded(path);
        let Some(key) = path.strip_prefix("/buoys") else {
            return refusal(404, "NoSuchBucket");
        };
        let key = key.trim_start_matches('/').to_owned();
        let upload = parameters.get("uploadId").cloned();
        match (request.method.as_str(), upload) {
            ("GET", _) if parameters.contains_key("list-type") => {
                let prefix = parameters.get("prefix");
                self.list(prefix.map_or("", String::as_str))
            }
            ("GET", _) => match self.objects.get(&key) {
                None => refusal(404, "NoSuchKey"),
                Some(bytes) => {
                    let range = request.header("range").unwrap();
                    let (from, last) = range
                        .strip_prefix("bytes=")
                        .and_then(|range| range.split_once('-'))
                        .unwrap();
                    let (from, last): (usize, usize) =
                        (from.parse().unwrap(), last.parse().unwrap());
                    let headers = format!(
                        "ETag: \"1\"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Range: bytes {from}-{last}/{}\r\n",
                        bytes.len()
                    );
                    Act::http("206 Partial Content", &headers, &bytes[from..=last])
                }
            },
            ("PUT", None) => {
                self.objects.insert(key, request.body.clone());
                Act::with(200, &[("ETag", "\"1\"")], "")
            }
            // A part may arrive behind the request that gave its upload up.
            ("PUT", Some(upload)) => match self.uploads.get_mut(&upload) {
                None => refusal(404, "NoSuchUpload"),
                Some(parts) => {
                    let number = parameters["partNumber"].parse().unwrap();
                    parts.insert(number, request.body.clone());
                    Act::with(200, &[("ETag", "\"1\"")], "")
                }
            },
            ("POST", None) if parameters.contains_key("uploads") => {
                let upload = format!("upload-{}", self.uploads.len() + self.given_up);
                self.uploads.insert(upload.clone(), BTreeMap::new());
                xml(&format!(
                    "<InitiateMultipartUploadResult><Bucket>buoys</Bucket><Key>{key}</Key><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
                ))
            }
            ("POST", None) => {
                let body = String::from_utf8(request.body.clone()).unwrap();
                let keys: Vec<&str> = body
                    .split("<Key>")
                    .skip(1)
                    .filter_map(|rest| rest.split_once("</Key>").map(|(key, _)| key))
                    .collect();
                let mut deleted = String::new();
                for key in keys {
                    self.objects.remove(key);
                    deleted.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
                }
                xml(&format!("<DeleteResult>{deleted}</DeleteResult>"))
            }
            ("POST", Some(upload)) => {
                let parts = self.uploads.remove(&upload).unwrap();
                let whole = parts.into_values().flatten().collect();
                self.objects.insert(key, whole);
                xml(
                    "<CompleteMultipartUploadResult><ETag>\"1\"</ETag></CompleteMultipartUploadResult>",
                )
            }
            ("DELETE", Some(upload)) => {
                self.uploads.remove(&upload);
                self.given_up += 1;
                Act::with(204, &[], "")
            }
            _ => refusal(405, "MethodNotAllowed"),
        }
    }

    fn list(&self, prefix: &str) -> Act {
        let found = self
            .objects
            .iter()
            .filter(|(key, _)| key.starts_with(prefix));
        let contents: String = found
            .map(|(key, bytes)| {
                format!(
                    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>\"1\"</ETag><Size>{}</Size></Contents>",
                    bytes.len()
                )
            })
            .collect();
        xml(&format!(
            "<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
        ))
    }
}
