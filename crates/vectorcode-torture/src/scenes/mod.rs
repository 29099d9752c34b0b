//! All scenes. A new one is a file here and a line in [`SCENES`].

mod checkouts;
mod clock;
mod commits;
mod damage;
mod faults;
mod frames;
mod http;
mod kills;
mod recovery;
mod sessions;
mod sources;
mod worktrees;

use crate::scene::Scene;

pub const SCENES: [Scene; 25] = [
    Scene { name: "kill-first-index", unit: "kills", run: kills::first_index },
    Scene { name: "kill-sync", unit: "kills", run: kills::sync },
    Scene { name: "kill-rebuild", unit: "kills", run: kills::rebuild },
    Scene { name: "kill-embedding", unit: "kills", run: kills::embedding },
    Scene { name: "kill-server", unit: "kills", run: kills::server },
    Scene { name: "kill-search", unit: "kills", run: kills::search },
    Scene { name: "kill-structure", unit: "kills", run: kills::structure },
    Scene { name: "kill-compaction", unit: "kills", run: kills::compaction },
    Scene { name: "kill-postgres", unit: "kills", run: kills::postgres },
    Scene { name: "checkouts", unit: "checkouts", run: checkouts::checkouts },
    Scene { name: "checkouts-postgres", unit: "checkouts", run: checkouts::checkouts_postgres },
    Scene { name: "commits", unit: "questions", run: commits::commits },
    Scene { name: "worktrees", unit: "kills", run: worktrees::worktrees },
    Scene { name: "fault-descriptors", unit: "runs", run: faults::descriptors },
    Scene { name: "fault-memory", unit: "runs", run: faults::memory },
    Scene { name: "fault-parsers", unit: "kills", run: faults::parsers },
    Scene { name: "fault-disk-full", unit: "runs", run: faults::disk_full },
    Scene { name: "fault-permissions", unit: "runs", run: faults::permissions },
    Scene { name: "fault-renames", unit: "runs", run: faults::renames },
    Scene { name: "clock-jumps", unit: "times", run: clock::clock_jumps },
    Scene { name: "damaged-index", unit: "databases", run: damage::damaged_index },
    Scene { name: "hostile-sources", unit: "files", run: sources::hostile_sources },
    Scene { name: "bad-frames", unit: "frames", run: frames::bad_frames },
    Scene { name: "bad-clients", unit: "requests", run: http::bad_clients },
    Scene { name: "many-sessions", unit: "sessions", run: sessions::many_sessions },
];
