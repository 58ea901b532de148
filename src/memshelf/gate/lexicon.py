"""The words the reconcile rule knows: tables only, so that a word is added without touching the rule.

English, German, French and Spanish words stand in one table each; Chinese and Japanese are rewritten to the English
function words (`CJK`). What stands in none of them is a name. `abi/lexicon.toml` publishes them.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words(
    "the a an our we you i it its this that these those please now currently nowadays just really very all every each any "
    "there their your my his her s still already so do does did will would shall be been being have-to default-value value setting "
    "der die das den dem des ein eine einen wir man bitte jetzt alle "
    "le la les l un une nous on d du tous toutes el los las una nosotros lo ahora todos todas"
)
"""Say nothing about subject or value."""

MODALS = _words("must should may can could might shall has-to muss soll sollte darf kann doit peut debe puede")

LABELS = _words("lesson decision note rule preference fact avoid tip remember reminder convention policy todo adr")
"""Stand before a colon and name the kind of statement, not its subject."""

NEGATORS = _words(
    "not never no cannot none nicht nie niemals kein keine keinen ne pas jamais aucun aucune nunca jamás tampoco without avoid "
    "vermeide éviter evita évite stop"
)
"""Each turns the polarity; French `ne ... pas` counts once."""

ASSERTERS = _words("always immer toujours siempre fine ok okay acceptable")
"""Say a statement holds; dropped."""

CONTRACTIONS = {
    "don't": "not", "doesn't": "not", "didn't": "not", "isn't": "is not", "aren't": "are not", "wasn't": "was not",
    "won't": "not", "can't": "can not", "mustn't": "must not", "shouldn't": "should not", "needn't": "need not",
    "we're": "we", "it's": "it is", "that's": "that is", "cannot": "can not", "let's": "", "haven't": "not", "hasn't": "not",
}  # fmt: skip

ADDITIONS = _words(
    "also too additionally another moreover besides auch zusätzlich außerdem aussi également también además"
)
"""Say that the statement stands beside others."""

BOUNDS = _words("until till unless except only bis außer nur sauf jusque seulement salvo hasta solo sólo")
"""Begin a limit on what stands before them."""

REASONS = _words("because since so due weil da denn parce car porque")

CONTRASTS = (
    ("instead", "of"), ("rather", "than"), ("in", "place", "of"), ("in", "favour", "of"), ("not",), ("never",), ("over",),
    ("statt",), ("anstatt",), ("anstelle", "von"), ("nicht",), ("plutôt", "que"), ("et", "non"), ("au", "lieu", "de"),
    ("en", "lugar", "de"), ("en", "vez", "de"), ("y", "no"), ("no",),
)  # fmt: skip
"""Begin what a statement rejects beside what it chooses."""

PIVOTS = _words("before after over than vor nach avant après antes después")
"""Two terms that change sides of one of these change the statement."""

SCOPES = _words(
    "for when if while during per against inside within before after where whenever whereas although "
    "für wenn falls während beim bei zum zur pour quand si lors pendant para cuando durante mientras than"
)
"""Begin what a statement holds for: part of its subject."""

PLACES = _words(
    "about in on at to as by with from under through via into onto towards beneath behind using "
    "auf in an unter im am als mit von nach über sur dans en à au sous avec par comme con desde bajo por"
)
"""Begin the value right after a verb of state; anywhere else they begin a scope."""

OF = _words("of and or & + von und oder de y o et ou del")

BE = _words("is are be was were : equals equal means mean ist sind lautet beträgt est sont es son vaut está están sea")

STATE = _words(
    "listen listens run runs live lives reside resides sit sits stay stays point points go goes target targets default defaults "
    "start starts begin begins end ends expire expires last lasts talk talks follow follows resolve resolves "
    "lies lie belong belongs happen happens return returns keep keeps build builds poll polls open opens close closes deploy deploys retry retries "
    "lauscht hört läuft laufen liegt liegen endet beginnt écoute tourne tournent utilise utilisent se-trouve "
    "escucha corre corren usa usan vive use uses prefer prefers like likes want wants pin pins store stores"
)
"""Verbs that name one place, state or choice of their subject."""

MANY_VERBS = _words(
    "has have had include includes contain contains support supports need needs require requires depend depends expose exposes "
    "provide provides accept accepts know knows speak speaks work works carry carries take takes cover covers emit emits hold holds "
    "send sends read reads write writes import imports allow allows reject rejects show shows list lists define defines "
    "hat haben braucht enthält contient tiene tienen supporte soporta available verfügbar disponible part tested"
)
"""Verbs whose subject may have several objects at once: only a number in the same place changes them."""

ONE_MANY = _words(
    "support supports supporte soporta know knows speak speaks work works available verfügbar disponible import imports take takes"
)
"""Not even a number changes these."""

OWN = _words("owns own maintains maintain leads lead")
"""Verbs whose subject is the value: `Alice owns billing`."""

CHOOSE = _words(
    "use prefer choose pick adopt verwende nutze benutze utilise utilisez préfère usa use uses usar utiliza ask using"
)
"""Imperatives whose object is the value."""

ACTS = _words(
    "run write indent store keep set format build deploy answer retry install publish push put name call limit cap pin read "
    "save cache log sort order encode serve host render start squash reply respond document wrap target return cut back "
    "rebase merge tag bump skip edit commit add send "
    "führe schreibe speichere antworte écris réponds exécute escribe responde ejecuta"
)
"""Imperatives whose object is the subject: the value stands after a preposition or is a number."""

SAME_STATE = _words(
    "be live lives reside resides sit sits lie lies located kept stored found default defaults set listed run runs"
)
"""Verbs that are interchangeable when the values are of one kind."""

EVENTS = _words(
    "failed broke crashed hung took fixed released upgraded upgrading downgraded chose happened hit saw landed shipped found "
    "yesterday today tomorrow gestern heute hier ayer hung lost leaked corrupted timed sprint broken-by went chose noticed"
)
"""Tell of one moment: another moment does not contradict it."""

LEFT = (
    ("no", "longer"), ("replaced", "by"), ("replaced", "with"), ("moved", "from"), ("migrated", "from"), ("switched", "from"),
    ("moved", "off"), ("moved", "away", "from"), ("superseded", "by"), ("changed", "from"), ("renamed", "from"), ("dropped",),
    ("ersetzt", "durch"), ("remplacé", "par"), ("reemplazado", "por"), ("retired",),
)  # fmt: skip
"""Say that a thing named beside them is no longer in use."""

ANTONYMS = (
    ("enabled", "disabled"), ("enable", "disable"), ("active", "inactive"), ("allowed", "forbidden"), ("permitted", "prohibited"),
    ("allow", "forbid"), ("required", "optional"), ("mandatory", "voluntary"), ("true", "false"), ("short", "long"),
    ("terse", "verbose"), ("concise", "detailed"), ("synchronous", "asynchronous"), ("sync", "async"), ("public", "private"),
    ("ascending", "descending"), ("automatic", "manual"), ("automatically", "manually"), ("mutable", "immutable"),
    ("sensitive", "insensitive"), ("supported", "unsupported"), ("safe", "unsafe"), ("stable", "unstable"), ("strict", "lenient"),
    ("blocking", "non-blocking"), ("aktiviert", "deaktiviert"), ("erlaubt", "verboten"), ("activé", "désactivé"),
    ("habilitado", "deshabilitado"), ("obligatorio", "opcional"), ("obligatoire", "facultatif"), ("启用", "禁用"), ("light", "dark"),
)  # fmt: skip
"""The second says the opposite of the first."""

SAME_WORDS = {
    "on": "enabled", "off": "disabled", "banned": "forbidden", "disallowed": "forbidden", "seconds": "s", "second": "s",
    "sec": "s", "secs": "s", "sekunden": "s", "secondes": "s", "segundos": "s", "minutes": "min", "minute": "min", "mins": "min",
    "minuten": "min", "minutos": "min", "hours": "h", "hour": "h", "stunden": "h", "heures": "h", "horas": "h", "days": "d",
    "day": "d", "milliseconds": "ms", "percent": "%", "maximum": "max", "minimum": "min-limit", "repository": "repo",
    "repos": "repo", "directory": "folder", "characters": "char", "chars": "char", "javascript": "js", "typescript": "ts",
    "postgresql": "postgres", "k8s": "kubernetes", "database": "db", "databases": "db", "mb": "mb", "megabytes": "mb",
}  # fmt: skip
"""One spelling for words that mean one thing; `on` and `off` only where they end a clause or stand before `by default`."""

UNITS = _words("s ms min h d w kb mb gb tb k m % px char lines items requests tokens times")

RIVALS = tuple(
    _words(line)
    for line in (
        "tabs spaces", "npm pnpm yarn bun", "pip poetry pipenv uv pdm hatch conda rye", "requests httpx aiohttp urllib3 httpx2",
        "postgres mysql sqlite mariadb mongodb oracle duckdb cockroachdb", "jest vitest mocha jasmine ava",
        "pytest unittest nose nose2", "black yapf autopep8 blue", "mypy pyright pyre ty",
        "main master trunk develop", "rest graphql grpc soap", "rebase merge squash", "rabbitmq nats kafka sqs pulsar",
        "jenkins github gitlab circleci buildkite travis drone", "webpack vite rollup parcel esbuild turbopack", "redux zustand mobx recoil jotai pinia",
        "bcrypt argon2id argon2 scrypt pbkdf2", "locust k6 jmeter gatling artillery", "moment.js date-fns dayjs luxon",
        "make just task bazel ninja", "cmake meson bazel", "sentry glitchtip rollbar bugsnag", "heroku fly.io render railway vercel netlify",
        "vault doppler sops", "mit apache-2.0 gpl bsd mpl", "camelcase snake_case kebab-case pascalcase", "single double",
        "json yaml toml xml msgpack protobuf", "utc local", "float decimal integer", "docker podman containerd", "terraform pulumi opentofu cloudformation",
        "react vue svelte angular solid", "django flask fastapi starlette", "express fastify koa hono", "playwright cypress selenium puppeteer",
        "celery dramatiq rq huey arq", "maven gradle", "gcc clang msvc", "jira linear trello", "slack discord teams zulip", "figma penpot sketch",
        "memcached redis", "nginx caddy apache traefik haproxy", "numpy google sphinx", "uuidv4 uuidv7 ulid", "left right", "winston pino bunyan",
        "deutsch englisch französisch spanisch", "german english french spanish", "datadog grafana newrelic", "sass less tailwind", "eslint biome tslint",
        "logging loguru structlog", "argparse click typer", "lru lfu fifo lifo", "lax strict none", "hoisted isolated", "jwt opaque",
    )
)  # fmt: skip
"""Choices of which a subject has one: two of a row in the same slot exclude each other."""

SEVERAL = _words(
    "linux macos windows ubuntu debian android ios freebsd chrome firefox safari edge staging production prod dev development beta "
    "canary sandbox testing preview arm64 x86 x86_64 amd64 aarch64 darwin alpine fedora"
)
"""Systems and environments: a statement about one says nothing about another."""

ROLES = _words(
    "port version timeout limit branch manager broker language host url owner lead contact format style region license licence "
    "formatter linter checker framework runner target level mode encoding locale timezone domain name registry image engine "
    "backend store provider maintainer reviewer delay ttl size threshold interval schedule default path location address editor "
    "shell theme prefix suffix separator delimiter order strategy policy indentation driver bundler compiler management checking "
    "point entry spec file guide quota budget deadline orm queue scheduler client tool sprache standardsprache verzeichnis langue idioma puerto "
    "retention 编译器 包管理器 语言 端口 框架"
)
"""Nouns of which a subject has one at a time: `the default branch is main`."""

LIST_ROLES = _words(
    "required supported allowed dependency dependencies example examples convention type var vars goal goals todo see known issue issues"
)
"""In a subject they say that the value is one of several."""

SUPERLATIVES = _words("min-limit max default current primary preferred latest official canonical recommended")
"""`Node 18 is the minimum version`: the predicate is the subject and the subject the value."""

DATES = _words(
    "january february march april may june july may-month august september october november december monday tuesday wednesday thursday "
    "friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays montag dienstag mittwoch donnerstag "
    "freitag lundi mardi mercredi jeudi vendredi lunes martes miércoles jueves viernes nightly daily weekly monthly hourly yearly"
)

UNKNOWN_TONGUES = _words(
    "niet geen een het não nao uma você il della gli che nie się ikke inte och för ett är nem yok değil ei ole ja jsem není nu este"
)
"""Words of languages whose negation is in no table here: one of them makes the rule silent."""

CJK = (
    ("因为", " because "), ("现在", " "), ("不要使用", " not use "), ("不再使用", " not use "), ("不使用", " not use "), ("禁止使用", " not use "),
    ("不要", " not "), ("不得", " not "), ("不能", " can not "), ("不再", " not "), ("禁止", " not "), ("不是", " is not "), ("必须", " must "),
    ("总是", " always "), ("始终", " always "), ("使用", " use "), ("监听", " listens on "), ("运行在", " runs on "), ("位于", " lives in "),
    ("存放在", " lives in "), ("是", " is "), ("端口", " 端口 "), ("默认", " default "), ("です", " "), ("は", " is "), ("である", " "),
)  # fmt: skip
"""Rewritten in this order."""

ONE_VALUE = _words(
    "called named hashed encoded stored returned pinned written done built managed hosted deployed formatted caused kept sent signed served merged approved "
    "go goes talk default follow"
)
"""Verbs of state with one value at a time, whatever it is."""

ANSWERS = _words("ask answer reply respond")
"""Imperatives with one value at a time."""

AT = _words("be live lies sits reside located kept found stored read point go built load call named pinned set")
"""Verbs with one path or identifier at a time."""

QUALITIES = _words(
    "too very slow fast big small long short open closed new old green red down up ready done full empty broken flaky rebuilt written "
    "free cheap wrong right good bad better clean dirty safe strict simple hard easy once twice first last early late shared part"
)
"""Words that describe a subject and do not name its value."""

QUALITY_ENDS = ("ed", "able", "ible", "ful", "ous", "less", "ive", "ing", "ant", "ent", "ally", "bar", "iert")

COUNTS = _words(
    "one two three four five six seven eight nine ten twelve ein zwei drei vier fünf deux trois quatre cinq dos tres cuatro cinco"
)
"""Numbers in words."""

ASIDES = SCOPES | {"that", "which", "who", "whose", "die", "das", "que", "qui"}
"""What stands after one of these is denied or said of a part, not of the statement."""
SHARED = frozenset(
    [
        "available",
        "verfügbar",
        "disponible",
        "tested",
        "included",
        "supported",
        "published",
        "required",
        "needed",
        "used",
        "covered",
    ]
)
PARTICIPLES = frozenset(
    [
        "kept",
        "read",
        "built",
        "written",
        "done",
        "run",
        "found",
        "set",
        "sent",
        "cut",
        "put",
        "held",
        "available",
        "stored",
        "called",
        "named",
    ]
)
