//! Reads and writes objects at a location: a folder, a bucket or a web server.

mod aws_profile;
mod http_client;
mod location;

use std::io::ErrorKind;
use std::path::PathBuf;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use vectorcode_core::{Links, read_bounded_regular_file};

use crate::TeamError;
pub use location::Location;

/// The objects at one location.
#[derive(Debug)]
pub(crate) struct Remote {
    objects: Box<dyn ObjectStore>,
    /// Path of the objects in the bucket.
    prefix: Path,
    location: Location,
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The last part of its key.
    pub name: String,
    /// When it was written, in microseconds since 1970. S3 has a resolution of seconds.
    pub time_us: i64,
}

impl Remote {
    pub fn open(location: &Location, access: Access) -> Result<Self, TeamError> {
        if access != Access::Read && location.is_read_only() {
            return Err(TeamError::ReadOnly { place: location.to_string() });
        }
        let (objects, prefix) = location.open(access)?;
        Ok(Self { objects, prefix, location: location.clone() })
    }

    /// Reads an object; `None` if it does not exist. Fails if it is larger than `limit`.
    pub async fn get(&self, key: &str, limit: u64) -> Result<Option<Vec<u8>>, TeamError> {
        if let Location::Folder(folder) = &self.location {
            return self.read_file(folder.join(key), key, limit).await;
        }
        let found = match self.objects.get(&self.path(key)).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            found => found.map_err(|error| self.failed("read", &error))?,
        };
        if found.meta.size > limit {
            return Err(TeamError::bad_bundle(key, format!("it has more than {limit} bytes")));
        }
        let bytes = found.bytes().await.map_err(|error| self.failed("read", &error))?;
        Ok(Some(bytes.into()))
    }

    /// Reads a file of a shared folder. Others may have put a device there, or a pipe, on which reading would block forever.
    async fn read_file(&self, path: PathBuf, key: &str, limit: u64) -> Result<Option<Vec<u8>>, TeamError> {
        let read = move || read_bounded_regular_file(&path, limit, Links::Follow);
        match tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(error.into())) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) => {
                Err(TeamError::bad_bundle(key, format!("it is {error}")))
            }
            Err(error) => Err(self.failed("read", &Error::Generic { store: "folder", source: error.into() })),
        }
    }

    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), TeamError> {
        let put = self.objects.put(&self.path(key), PutPayload::from(bytes)).await;
        put.map(drop).map_err(|error| self.failed("write to", &error))
    }

    pub async fn exists(&self, key: &str) -> Result<bool, TeamError> {
        match self.objects.head(&self.path(key)).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.failed("read", &error)),
        }
    }

    /// Lists the objects in a folder.
    pub async fn list(&self, key: &str) -> Result<Vec<Listed>, TeamError> {
        let listed = self.objects.list_with_delimiter(Some(&self.path(key))).await;
        let listed = listed.map_err(|error| self.failed("list", &error))?;
        let objects = listed.objects.into_iter().filter_map(|object| {
            let name = object.location.filename()?.to_owned();
            Some(Listed { name, time_us: object.last_modified.timestamp_micros() })
        });
        Ok(objects.collect())
    }

    pub async fn delete(&self, key: &str) -> Result<(), TeamError> {
        match self.objects.delete(&self.path(key)).await {
            Err(Error::NotFound { .. }) => Ok(()),
            deleted => deleted.map_err(|error| self.failed("delete from", &error)),
        }
    }

    fn path(&self, key: &str) -> Path {
        key.split('/').fold(self.prefix.clone(), Path::join)
    }

    fn failed(&self, action: &'static str, error: &Error) -> TeamError {
        self.location.failed(action, error)
    }
}

/// What a location is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Like `Write`, but nothing is written: a missing folder counts as an empty one.
    Preview,
    Write,
}
