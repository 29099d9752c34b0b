//! Queries in other languages over English code, and names and comments that are not English.

use vectorcode_core::api::{SearchMode, SearchRequest};

use crate::project::{Indexed, index};

const PERMISSIONS: &str = "/// Checks whether a user has the permission.\npub fn validate_permissions(user: &User) -> bool {\n    \
                           user.permissions.contains(&Permission::Write)\n}\n";
const UPLOAD: &str = "def upload_file(path, target):\n    \"\"\"Uploads a file to the server.\"\"\"\n    \
                      with open(path, 'rb') as source:\n        target.send(source.read())\n";
const RETRY: &str = "// Retries a failed payment.\nfunc RetryFailedPayment(payment Payment) error {\n\treturn queue.Push(payment)\n}\n";
const CACHE: &str = "export class SessionCache {\n  /** Drops sessions that have expired. */\n  clearExpired(): void {\n    \
                     this.sessions.clear();\n  }\n}\n";
const COMMENTED: &str = "# 发送短信验证码给用户\ndef send(phone):\n    gateway.call(phone)\n\n\n\
                         # Berechnet die Umsatzsteuer für Rechnungen\ndef vat(total):\n    return total * 19 // 100\n";

fn sample() -> Indexed {
    let project = Indexed::new(&[
        ("src/permissions.rs", PERMISSIONS),
        ("src/upload.py", UPLOAD),
        ("src/payment.go", RETRY),
        ("src/session.ts", CACHE),
        ("src/notes.py", COMMENTED),
    ]);
    index(&project.engine).unwrap();
    project
}

fn first(project: &Indexed, question: &str) -> String {
    // The fake provider's vectors are meaningless, and a query without the project's words relies on vectors.
    let request =
        SearchRequest { threshold: Some(0.0), mode: SearchMode::Fast, ..SearchRequest::query(question) };
    project.engine.search(&request).unwrap().hits.first().map_or_else(String::new, |hit| hit.path.clone())
}

#[test]
fn questions_in_other_languages_find_english_code() {
    let project = sample();
    for (question, path) in [
        ("dónde se validan los permisos", "src/permissions.rs"),
        ("donde se validan los permisos del usuario", "src/permissions.rs"),
        ("wo werden Dateien hochgeladen", "src/upload.py"),
        ("重试失败的支付", "src/payment.go"),
        ("期限切れのセッションを削除する", "src/session.ts"),
        ("где проверяются разрешения пользователя", "src/permissions.rs"),
        ("où les fichiers sont-ils envoyés au serveur", "src/upload.py"),
        ("onde os arquivos são carregados", "src/upload.py"),
    ] {
        assert_eq!(first(&project, question), path, "{question}");
    }
}

#[test]
fn comments_in_the_language_of_the_question_are_found() {
    let project = sample();
    for question in ["验证码", "短信验证码在哪里发送", "wo wird die Umsatzsteuer berechnet", "Umsatzsteuer"]
    {
        assert_eq!(first(&project, question), "src/notes.py", "{question}");
    }
}
