//! The service client: wire types, requests, errors, and the retry of reads.
