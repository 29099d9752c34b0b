//! A repository that git itself would never write: objects that claim any id, content and size.
//!
//! Nothing is compressed, and checksums that nobody verifies are wrong. So a small input controls every byte that decoders
//! see.

use std::fs;
use std::path::Path;

const PACK: &str = "objects/pack/pack-0000000000000000000000000000000000000000";
const STORED_BLOCK: usize = 65_535;
const KINDS: [&str; 5] = ["", "commit", "tree", "blob", "tag"];

/// The type numbers of objects in a pack.
pub const COMMIT: u8 = 1;
pub const TREE: u8 = 2;
pub const BLOB: u8 = 3;
/// Deltas: one of an object earlier in the pack, and one of an object given by its id.
pub const OFS_DELTA: u8 = 6;
pub const REF_DELTA: u8 = 7;

/// The files of a `.git` under construction.
#[derive(Clone, Debug, Default)]
pub struct CraftedRepository {
    pack: Vec<u8>,
    /// The id of each object, and its offset in the pack.
    packed: Vec<([u8; 20], usize)>,
    loose: Vec<([u8; 20], Vec<u8>)>,
}

/// One object.
#[derive(Clone, Copy, Debug)]
pub struct CraftedObject<'a> {
    pub id: [u8; 20],
    /// The type number in a pack. A loose object cannot be a delta.
    pub kind: u8,
    pub data: &'a [u8],
    /// The size that the object claims to have; `None`: its real size.
    pub size: Option<u64>,
    /// The base of a delta: for `OFS_DELTA`, how many objects are in between; for `REF_DELTA`, any id.
    pub back: usize,
    pub base: [u8; 20],
}

impl<'a> CraftedObject<'a> {
    pub fn new(id: [u8; 20], kind: u8, data: &'a [u8]) -> Self {
        Self { id, kind, data, size: None, back: 0, base: [0; 20] }
    }
}

impl CraftedRepository {
    pub fn add_packed(&mut self, object: CraftedObject<'_>) {
        if self.pack.is_empty() {
            self.pack.extend([b'P', b'A', b'C', b'K', 0, 0, 0, 2, 0, 0, 0, 0]);
        }
        let place = self.pack.len();
        let mut size = object.size.unwrap_or(object.data.len() as u64);
        let mut byte = object.kind << 4 | (size & 15) as u8;
        size >>= 4;
        while size > 0 {
            self.pack.push(byte | 0x80);
            byte = (size & 0x7f) as u8;
            size >>= 7;
        }
        self.pack.push(byte);
        match object.kind {
            OFS_DELTA => {
                let base = self.packed.iter().rev().nth(object.back).map_or(0, |(_, base)| *base);
                self.pack.extend(distance(place - base));
            }
            REF_DELTA => self.pack.extend(object.base),
            _ => {}
        }
        self.pack.extend(deflated(object.data));
        self.packed.push((object.id, place));
    }

    pub fn add_loose(&mut self, object: CraftedObject<'_>) {
        let size = object.size.unwrap_or(object.data.len() as u64);
        let kind = KINDS.get(usize::from(object.kind)).unwrap_or(&"other");
        let content = [format!("{kind} {size}\0").as_bytes(), object.data].concat();
        self.loose.push((object.id, deflated(&content)));
    }

    /// The bytes of the pack and of its index, for tests that damage them.
    pub fn pack_and_index(&self) -> (Vec<u8>, Vec<u8>) {
        let mut pack = self.pack.clone();
        if let Some(count) = pack.get_mut(8..12) {
            count.copy_from_slice(&(self.packed.len() as u32).to_be_bytes());
        }
        pack.extend([0; 20]);
        (pack, self.index())
    }

    fn index(&self) -> Vec<u8> {
        let mut packed = self.packed.clone();
        packed.sort_unstable();
        let mut index = vec![0xff, b't', b'O', b'c', 0, 0, 0, 2];
        for first in 0..=255_u8 {
            let count = packed.iter().filter(|(id, _)| id[0] <= first).count() as u32;
            index.extend(count.to_be_bytes());
        }
        index.extend(packed.iter().flat_map(|(id, _)| *id));
        index.extend(packed.iter().flat_map(|_| [0; 4]));
        index.extend(packed.iter().flat_map(|(_, place)| (*place as u32).to_be_bytes()));
        index.extend([0; 40]);
        index
    }

    /// Writes a `.git` whose branch `main` is at `head`.
    pub fn write(&self, root: &Path, head: [u8; 20]) {
        let git = root.join(".git");
        let write = |name: &str, bytes: &[u8]| {
            let path = git.join(name);
            fs::create_dir_all(path.parent().expect("a name has a folder")).expect("a folder is made");
            fs::write(path, bytes).expect("a file is written");
        };
        write("HEAD", b"ref: refs/heads/main\n");
        write("refs/heads/main", hex(&head).as_bytes());
        if !self.packed.is_empty() {
            let (pack, index) = self.pack_and_index();
            write(&format!("{PACK}.pack"), &pack);
            write(&format!("{PACK}.idx"), &index);
        }
        for (id, bytes) in &self.loose {
            let id = hex(id);
            write(&format!("objects/{}/{}", &id[..2], &id[2..]), bytes);
        }
        fs::create_dir_all(git.join("objects")).expect("a folder is made");
    }
}

/// The text of a commit with this tree and these parents.
pub fn commit_text(tree: [u8; 20], parents: &[[u8; 20]]) -> Vec<u8> {
    let parents: Vec<String> = parents.iter().map(|id| format!("parent {}\n", hex(id))).collect();
    let parents = parents.concat();
    let person = "Ada <ada@example.com> 1700000000 +0000";
    format!("tree {}\n{parents}author {person}\ncommitter {person}\n\ncrafted\n", hex(&tree)).into_bytes()
}

/// An entry of a tree.
pub fn tree_entry(mode: &str, name: &str, id: [u8; 20]) -> Vec<u8> {
    [format!("{mode} {name}\0").as_bytes(), &id].concat()
}

fn hex(id: &[u8; 20]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// The distance to the base of a delta, encoded as in a pack.
fn distance(mut distance: usize) -> Vec<u8> {
    let mut bytes = vec![(distance & 0x7f) as u8];
    distance >>= 7;
    while distance > 0 {
        distance -= 1;
        bytes.push(0x80 | (distance & 0x7f) as u8);
        distance >>= 7;
    }
    bytes.reverse();
    bytes
}

/// A zlib stream of stored (uncompressed) blocks.
fn deflated(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = data.chunks(STORED_BLOCK).peekable();
    if blocks.peek().is_none() {
        stream.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in data {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    stream.extend((high << 16 | low).to_be_bytes());
    stream
}
