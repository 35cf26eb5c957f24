"""A small OpenID Connect provider on this machine: it speaks the code flow with PKCE, and knows one person."""

import base64
import hashlib
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import jwt

CLIENT, SECRET = "touchstone", "a secret of the tests, long enough for its use"


class Provider:
    """`person` is what it says about whoever signs in; `token_claims` differ from that in the ID token."""

    def __init__(self, address):
        self.address = address
        self.person = {
            "sub": "17",
            "email": "kim@example.org",
            "email_verified": True,
            "preferred_username": "kim",
            "given_name": "Kim",
            "family_name": "Lee",
        }
        self.token_claims = {}
        self.codes = {}
        self.is_down = False

    def agree(self, location):
        """Where the provider leads a browser that came to this address and whose person agreed."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert location.startswith(f"{self.address}/authorize?")
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?code={code}&state={asked['state']}"

    def answer(self, path, form, headers):
        """Status and JSON of one address of the provider."""
        if self.is_down:
            return 503, {}
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/authorize",
                "token_endpoint": f"{self.address}/token",
                "userinfo_endpoint": f"{self.address}/userinfo",
                "jwks_uri": f"{self.address}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/token":
            return self._token(form)
        if path == "/userinfo" and headers.get("Authorization") == "Bearer access":
            return 200, self.person
        return 404, {}

    def _token(self, form):
        asked = self.codes.pop(form.get("code"), None)
        if asked is None or (form["client_id"], form["client_secret"]) != (CLIENT, SECRET):
            return 400, {"error": "invalid_grant"}
        challenge = hashlib.sha256(form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(challenge).decode().rstrip("=") != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        claims = {"iss": self.address, "aud": CLIENT, "exp": int(time.time()) + 60, "iat": int(time.time())}
        claims |= {"sub": self.person["sub"]} | self.token_claims
        token = jwt.encode(claims, SECRET, algorithm="HS256")
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": token}


@contextmanager
def provider():
    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
            status, content = found.answer(urlsplit(self.path).path, form, self.headers)
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Provider(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()
