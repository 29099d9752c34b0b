//! A file server on the loopback interface that publishes releases.

use std::collections::HashMap;
use std::env::consts::{ARCH, EXE_SUFFIX, OS};
use std::io::{BufRead, BufReader, Cursor, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use flate2::Compression;
use flate2::write::GzEncoder;
use minisign::KeyPair;
use sha2::{Digest, Sha256};

type Files = Arc<Mutex<HashMap<String, Vec<u8>>>>;

pub struct ReleaseServer {
    files: Files,
    url: String,
    keys: KeyPair,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ReleaseServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let files = Files::default();
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (files, stop) = (files.clone(), stop.clone());
            move || {
                for stream in listener.incoming() {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    // A client that hangs up early is not the server's problem.
                    let _ = stream.and_then(|stream| answer(&stream, &files));
                }
            }
        });
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        Self { files, url, keys, stop, thread: Some(thread) }
    }

    /// The public key for the releases of this server, in the form that the environment variable takes.
    pub fn public_key(&self) -> String {
        self.keys.pk.to_base64()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn keys(&self) -> &KeyPair {
        &self.keys
    }

    /// Serves a path with this status, these headers and this body.
    pub fn put_response(&self, path: &str, status: &str, headers: &str, body: &[u8]) {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n\r\n"
        );
        self.put(path, [head.as_bytes(), body].concat());
    }

    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.lock().unwrap().insert(path.to_owned(), bytes.into());
    }

    /// Publishes a version as the newest, with a signed archive that contains `binary`.
    pub fn publish(&self, version: &str, binary: &[u8]) {
        self.publish_archive(version, &archive_with(&format!("vectorcode{EXE_SUFFIX}"), binary));
    }

    /// Publishes a version as the newest, with this archive and a signature for it.
    pub fn publish_archive(&self, version: &str, archive: &[u8]) {
        self.put("/latest/download/release.json", format!("{{\"version\": \"{version}\"}}"));
        self.replace_archive(version, archive);
        self.sign(version, archive, &format!("vectorcode {version} {}", archive_name()));
    }

    /// Replaces the archive of the newest version and the checksum, like an attacker who controls the server but does not have
    /// the key.
    pub fn replace_archive(&self, version: &str, archive: &[u8]) {
        let sums = format!("{}  {}\n", sha256(archive), archive_name());
        for directory in directories(version) {
            self.put(&format!("{directory}/SHA256SUMS"), sums.clone());
            self.put(&format!("{directory}/{}", archive_name()), archive);
        }
    }

    /// Replaces the signature of the newest version by one for these bytes with this comment.
    pub fn sign(&self, version: &str, bytes: &[u8], comment: &str) {
        self.put_signature(version, &signature(&self.keys, bytes, comment));
    }

    pub fn put_signature(&self, version: &str, signature: &str) {
        for directory in directories(version) {
            self.put(&format!("{directory}/{}.minisig", archive_name()), signature);
        }
    }

    pub fn remove_signature(&self, version: &str) {
        for directory in directories(version) {
            self.remove(&format!("{directory}/{}.minisig", archive_name()));
        }
    }

    /// Changes the newest archive after its checksum and its signature were published.
    pub fn corrupt(&self, version: &str) {
        for directory in directories(version) {
            let path = format!("{directory}/{}", archive_name());
            self.files.lock().unwrap().get_mut(&path).unwrap().extend(b"x");
        }
    }

    pub fn get(&self, path: &str) -> Vec<u8> {
        self.files.lock().unwrap()[path].clone()
    }

    pub fn remove(&self, path: &str) {
        self.files.lock().unwrap().remove(path);
    }
}

impl Drop for ReleaseServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next client.
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        self.thread.take().unwrap().join().unwrap();
    }
}

fn answer(stream: &TcpStream, files: &Files) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let body = files.lock().unwrap().get(&path).cloned();
    let mut stream = stream;
    if let Some(response) = body.as_ref().filter(|body| body.starts_with(b"HTTP/1.1 ")) {
        return stream.write_all(response);
    }
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)
}

/// The directories of the newest version's files.
fn directories(version: &str) -> [String; 2] {
    [format!("/download/v{version}"), "/latest/download".to_owned()]
}

pub fn signature(keys: &KeyPair, bytes: &[u8], comment: &str) -> String {
    minisign::sign(Some(&keys.pk), &keys.sk, bytes, Some(comment), None).unwrap().into_string()
}

pub fn archive_name() -> String {
    let os = if cfg!(target_os = "macos") { "darwin" } else { OS };
    let suffix = if cfg!(windows) { "zip" } else { "tar.gz" };
    format!("vectorcode-{os}-{ARCH}.{suffix}")
}

/// An archive of the platform's kind.
pub fn archive_with(name: &str, content: &[u8]) -> Vec<u8> {
    if cfg!(windows) { zip_with(name, content) } else { tar_with(name, content) }
}

fn zip_with(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

fn tar_with(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o755);
    archive.append_data(&mut header, name, content).unwrap();
    archive.into_inner().unwrap().finish().unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}
