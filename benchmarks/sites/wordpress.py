"""WordPress of Debian with its three themes, filled by wordpress.php, with a MariaDB of its own."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from benchmarks.sites.posts import ZONE, Post, write_posts
from benchmarks.sites.system import CACHE, READY_SECONDS, TITLE, MissingError, System, run, serve_process

PACKAGES = (
    *("wordpress", "php-cli", "php-mysql", "php-mbstring", "php-xml", "mariadb-server"),
    *(f"wordpress-theme-twentytwenty{number}" for number in ("one", "two", "three")),
)
SOURCE = Path("/usr/share/wordpress")
SCRIPT = Path(__file__).with_suffix(".php")
WORKERS = 3
"""Of PHP's server; the machines at hand have two cores."""
CONFIG = """<?php
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('WORDPRESS_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('WP_HOME', getenv('WORDPRESS_URL'));
define('WP_SITEURL', getenv('WORDPRESS_URL'));
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
"""
ROUTER = """<?php
if (is_file(__DIR__ . '/www' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))) {
    return false;
}
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
require __DIR__ . '/www/index.php';
"""
CARDS = '<!-- wp:latest-posts {"postsToShow":24,"displayPostDate":true,"postLayout":"grid","columns":3} /-->'
DATABASE = (
    *("mariadbd", "--no-defaults", "--user=root", "--skip-networking", "--skip-grant-tables"),
    *("--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M"),
)


@dataclass
class WordPress(System):
    """WordPress with one theme, one form of addresses, and for `front` the blocks of its start page if it has one."""

    theme: str
    permalinks: str
    front: str = ""

    states: ClassVar = {"published": "time", "authors": "first", "section": "all", "tags": "all"}

    def install(self) -> None:
        """Install Debian's packages where root may, and copy WordPress to where its configuration can be ours."""
        if not (SOURCE / "wp-content" / "themes" / self.theme).exists() or not shutil.which("mariadbd"):
            if os.geteuid() or not shutil.which("apt-get"):
                raise MissingError(f"as root: apt-get install --no-install-recommends {' '.join(PACKAGES)}")
            CACHE.mkdir(parents=True, exist_ok=True)
            run(["apt-get", "update"], CACHE)
            run(["apt-get", "install", "-y", "--no-install-recommends", *PACKAGES], CACHE)

    def fill(self, folder: Path, posts: Sequence[Post], base: str) -> Mapping[str, str]:
        """Copy WordPress beside its database if it is not there, and let PHP write the posts."""
        if not (folder / "www").exists():
            shutil.copytree(SOURCE, folder / "www")
            (folder / "www" / "wp-config.php").unlink()
            (folder / "www" / "wp-config.php").write_text(CONFIG, "utf-8")
            (folder / "router.php").write_text(ROUTER, "utf-8")
            run(["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={folder}/data"], folder)
            with _database(folder, base) as environment:
                _php(environment, SCRIPT, folder / "www", self.theme, self.permalinks, self.front)
        write_posts(posts, folder / "posts.json")
        with _database(folder, base) as environment:
            return _php(environment, SCRIPT, folder / "www", folder / "posts.json")

    @contextmanager
    def serve(self, folder: Path, base: str) -> Iterator[None]:
        """Serve it by PHP's own server."""
        command = ["php", "-S", base.removeprefix("http://"), "-t", folder / "www", folder / "router.php"]
        with _database(folder, base) as environment:
            workers = {"PHP_CLI_SERVER_WORKERS": str(WORKERS)}
            with serve_process(command, folder, environment | workers, base):
                yield


def _php(environment: dict[str, str], *arguments: object) -> dict[str, str]:
    """Run a script; gives what it prints as JSON."""
    command = ["php", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    try:
        printed: dict[str, str] = json.loads(done.stdout)
    except ValueError:
        raise MissingError(f"{SCRIPT.name}: {(done.stdout + done.stderr)[-300:]}") from None
    return printed


@contextmanager
def _database(folder: Path, base: str) -> Iterator[dict[str, str]]:
    """Run the site's MariaDB; gives the environment in which PHP finds it."""
    with tempfile.TemporaryDirectory() as short:  # a socket's path has at most 107 characters
        socket = Path(short) / "socket"
        with (folder / "database.log").open("wb") as log:
            command = [*DATABASE, f"--datadir={folder}/data", f"--socket={socket}", f"--pid-file={short}/pid"]
            server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            until = time.monotonic() + READY_SECONDS
            while not socket.exists():
                if server.poll() is not None or time.monotonic() > until:
                    raise MissingError(f"MariaDB does not start; see {folder}/database.log")
                time.sleep(0.2)
            run(["mariadb", f"--socket={socket}", "-e", "CREATE DATABASE IF NOT EXISTS wordpress"], folder)
            yield os.environ | {
                "WORDPRESS_SOCKET": str(socket),
                "WORDPRESS_URL": base,
                "WORDPRESS_TITLE": TITLE,
                "WORDPRESS_ZONE": ZONE.key,
            }
        finally:
            server.terminate()
            server.wait()


SYSTEMS: Sequence[System] = (
    WordPress(
        *("wordpress-2021", "WordPress 6.1, Twenty Twenty-One", "twentytwentyone", "/%year%/%monthnum%/%postname%/")
    ),
    WordPress("wordpress-2022", "WordPress 6.1, Twenty Twenty-Two, `?p=N`", "twentytwentytwo", ""),
    WordPress("wordpress-2023", "WordPress 6.1, Twenty Twenty-Three", "twentytwentythree", "/%postname%/"),
    WordPress(
        "wordpress-cards",
        "WordPress 6.1, Twenty Twenty-Three, a start page of cards, `/section/slug-N.html`",
        "twentytwentythree",
        "/%category%/%postname%-%post_id%.html",
        CARDS,
    ),
)
