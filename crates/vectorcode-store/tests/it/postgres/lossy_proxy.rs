//! A proxy in front of the server that can lose the reply to a COMMIT, like a network that fails at that moment.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const FORWARDS: u8 = 0;
const LOSES_NEXT: u8 = 1;
const HAS_LOST: u8 = 2;

/// The proxy runs until the process ends.
pub struct LossyProxy {
    url: String,
    state: Arc<AtomicU8>,
}

impl LossyProxy {
    pub fn start(server: &str) -> Self {
        let address = server.split('@').nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = server.replace(&address, &listener.local_addr().unwrap().to_string());
        let state = Arc::new(AtomicU8::new(FORWARDS));
        let seen = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (server, state) = (TcpStream::connect(&address).unwrap(), seen.clone());
                std::thread::spawn(move || relay(&client, &server, &state));
            }
        });
        Self { url, state }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn lose_next_commit(&self) {
        self.state.store(LOSES_NEXT, Ordering::SeqCst);
    }

    pub fn has_lost_it(&self) -> bool {
        self.state.load(Ordering::SeqCst) == HAS_LOST
    }
}

/// Forwards the client's data on this thread and the server's replies on another.
fn relay(client: &TcpStream, server: &TcpStream, state: &AtomicU8) {
    let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
    let (mut from_client, mut to_server) = (client, server);
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from_client.read(&mut buffer) {
        let is_commit = buffer[..read].windows(6).any(|word| word == b"COMMIT");
        let loses = is_commit
            && state.compare_exchange(LOSES_NEXT, HAS_LOST, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if loses {
            let _ = client.shutdown(Shutdown::Both);
        }
        let _ = to_server.write_all(&buffer[..read]);
        if loses {
            return;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
}
