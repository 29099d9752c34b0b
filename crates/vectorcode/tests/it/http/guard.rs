//! Access checks, which are the same on all routes.

use vectorcode_testkit::TempProject;

use super::server::HttpServer;

const ROUTES: [&str; 5] =
    ["/api/v1/health", "/api/v1/search?q=x", "/query?q=x", "/api/openapi.json", "/nothing"];

#[test]
fn foreign_hosts_and_origins_are_refused_on_every_route() {
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    for route in ROUTES {
        server.send("GET", route, &[("Host", "evil.example")], "").refusal(403);
        server.send("GET", route, &[("Origin", "https://evil.example")], "").refusal(403);
    }
    server.send("GET", "/api/v1/health", &[("Origin", "http://localhost:3000")], "").ok();
    let script = [("Origin", "https://evil.example"), ("Content-Type", "text/plain")];
    server.send("POST", "/index", &script, "").refusal(403);
}

#[test]
fn a_token_guards_all_that_tells_of_the_project() {
    let project = TempProject::empty();
    let server = HttpServer::start_at("0.0.0.0:0", Some("open sesame"), &project);
    for route in ["/api/v1/health", "/api/v1/search?q=x", "/api/v1/events", "/query?q=x", "/api/openapi.json"]
    {
        let refused = server.send("GET", route, &[], "");
        refused.refusal(401);
        assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
    }
    server.send("GET", "/api/v1/health", &[("Authorization", "Bearer wrong")], "").refusal(401);
    server.send("GET", "/api/v1/health", &[("Authorization", "Bearer open sesame")], "").ok();
    // The page itself reveals nothing, and a browser must be able to load it to ask for the token.
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn browsers_are_told_to_trust_nothing() {
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    for route in ROUTES {
        let head = server.get(route).head;
        for header in
            ["x-content-type-options: nosniff", "referrer-policy: no-referrer", "frame-ancestors 'none'"]
        {
            assert!(head.contains(header), "{route}: {head}");
        }
        assert!(
            head.contains("cache-control: no-store") && !head.contains("unsafe-inline"),
            "{route}: {head}"
        );
    }
}
