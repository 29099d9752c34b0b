//! Asks the user yes-or-no questions.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{Result, bail};

/// Asks on the terminal. Fails if stdin is not a terminal, because nobody could answer.
pub fn confirmed(question: &str) -> Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        bail!("cannot ask for confirmation without a terminal; add --yes");
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
