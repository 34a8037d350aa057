"""The tests of the page of `rowan inspect`: see run. Nothing waits for a time: each step waits for what it needs."""
import argparse
import contextlib
import csv
import http.client
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from urllib.parse import quote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

import databases

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
PAGES = ["/", "/table/customer", "/table/customer/row?key=i7", "/table/order/row?key=i5", "/table/best?order=stars&down=1",
         "/query", "/query?chart=bars&sql=" + quote('SELECT status, count(*) AS n FROM "order" GROUP BY status'),
         "/query?sql=SELEC", "/diagram", "/space", "/table/missing"]
WIDTHS = [390, 800, 1400]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


class Inspector:
    """The program, with a client that has the cookie."""

    def __init__(self, program, path, *options):
        self.process = subprocess.Popen([program, "inspect", str(path), *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url, self.process.stderr.read()
        parts = urlsplit(self.url)
        self.host, self.port, self.base = parts.hostname, parts.port, f"{parts.scheme}://{parts.netloc}"
        self.token = parts.query.removeprefix("token=")
        self.cookie = self.request("GET", f"/?token={self.token}", cookie=None)[1]["set-cookie"].split(";")[0]

    def open(self, method, path, headers={}, cookie="", body=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        all_headers = {"Cookie": self.cookie} if cookie == "" else {}
        all_headers.update(headers)
        connection.request(method, path, body=body, headers=all_headers)
        return connection, connection.getresponse()

    def request(self, method, path, headers={}, cookie="", body=None):
        """The status, the headers with names in lower case, and the body."""
        connection, response = self.open(method, path, headers, cookie, body)
        with contextlib.closing(connection):
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()

    def get(self, path):
        status, _, body = self.request("GET", path)
        return status, body.decode()

    def sentence(self, path, status):
        """The sentence of a page that reports a problem."""
        found, body = self.get(path)
        assert found == status, f"{path}: {found} instead of {status}"
        return re.search(r'role="alert">([^<]*)<', body)[1]

    def pages(self):
        """The open pages that get events, with one of our own."""
        connection, response = self.open("GET", "/live")
        with contextlib.closing(connection):
            while not (line := response.readline().decode()).startswith("data:"):
                pass
            return json.loads(line.removeprefix("data:"))["pages"]

    def close(self):
        self.process.terminate()
        try:
            self.process.communicate(timeout=30)
        finally:
            self.process.kill()
        return self.process.returncode


class Tests:
    def __init__(self, program, browser, folder):
        self.program, self.browser, self.folder = program, browser, folder
        self.shop_path = folder / "shop.sqlite"
        self.writer = databases.shop(self.shop_path)
        self.shop = Inspector(program, self.shop_path)
        self.hostile_path = folder / "hostile.sqlite"
        databases.hostile(self.hostile_path).close()
        self.hostile = Inspector(program, self.hostile_path)

    @contextlib.contextmanager
    def page(self, inspector=None, **options):
        """A page of a new browser window, which fails for script errors and dialogs."""
        context = self.browser.new_context(**options)
        page = context.new_page()
        problems = []
        page.on("pageerror", lambda error: problems.append(f"script error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", lambda message: problems.append(message.text)
                if "Content Security Policy" in message.text else None)
        page.goto((inspector or self.shop).url)
        page.wait_for_url((inspector or self.shop).base + "/")
        try:
            yield page
        except BaseException:
            try:
                page.screenshot(path=self.folder / "failure.png")
            except Exception as error:
                print(f"no screenshot: {error}", file=sys.stderr)
            raise
        finally:
            context.close()
        assert not problems, problems

    # Who may see the page

    def test_tokens(self):
        inspector = self.shop
        for path in ["/", "/table/customer", "/query/csv?sql=SELECT+1", "/live", "/inspect.css", "/nothing"]:
            status, headers, body = inspector.request("GET", path, cookie=None)
            assert status == 401 and b"token" in body, (path, status)
            assert "set-cookie" not in headers
        for token in ["", "x", inspector.token[:-1], inspector.token + "0", "%00"]:
            status, headers, _ = inspector.request("GET", f"/?token={token}", cookie=None)
            assert status == 401 and "set-cookie" not in headers, token
        status, headers, body = inspector.request("GET", f"/table/customer?token={inspector.token}&order=name", cookie=None)
        assert status == 200 and b'<a href="/table/customer?order=name">' in body
        _, _, body = inspector.request("GET", f"//evil.example/%22%3E%3Cb%3E?token={inspector.token}", cookie=None)
        assert b'<a href="/evil.example/%22%3E%3Cb%3E">' in body, body
        cookie = headers["set-cookie"].split("; ")
        assert cookie[1:] == ["Path=/", "HttpOnly", "SameSite=Strict"], cookie
        assert inspector.token not in cookie[0]
        assert re.fullmatch(r"[0-9a-f]{64}", inspector.token)

    def test_hosts_and_origins(self):
        inspector = self.shop
        for host in ["evil.example", f"evil.example:{inspector.port}", "127.0.0.1.evil.example", "localhost.evil.example", ""]:
            assert inspector.request("GET", "/", {"Host": host})[0] in (400, 403), host
        for host in [f"localhost:{inspector.port}", f"127.0.0.1:{inspector.port}", f"[::1]:{inspector.port}"]:
            assert inspector.request("GET", "/", {"Host": host})[0] == 200, host
        for origin in ["http://evil.example", "null", f"https://{inspector.host}:{inspector.port}", f"http://{inspector.host}:1"]:
            assert inspector.request("GET", "/", {"Origin": origin})[0] == 403, origin
        assert inspector.request("GET", "/", {"Origin": inspector.base})[0] == 200
        assert inspector.request("GET", "/", {"Host": "[::1].evil.example"})[0] == 403
        # A page at another port of this machine gets the cookie.
        for site, status in [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]:
            assert inspector.request("GET", "/query?sql=SELECT+1", {"Sec-Fetch-Site": site})[0] == status, site
        with self.page() as page:
            # A link of another site, which the user follows.
            page.goto("data:text/html,<a href='" + inspector.url + "'>open</a>")
            page.get_by_role("link").click()
            expect(page.locator("h1")).to_have_text("shop.sqlite")

    def test_headers(self):
        for path in ["/", "/nothing", "/inspect.js", "/query?sql=SELEC", "/table/customer/csv"]:
            headers = self.shop.request("GET", path)[1]
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy, (path, policy)
            assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin", path
            assert headers["cache-control"] == "no-store", path
        assert self.shop.request("HEAD", "/table/customer")[2] == b""
        for method in ["PUT", "DELETE", "OPTIONS", "PATCH"]:
            assert self.shop.request(method, "/")[0] == 405, method
        for path in ["/../etc/passwd", "/table/../../x", "//", "/table/customer/../..", "/%2e%2e/", "/table/%ff", "/?" + "a=b&" * 1000]:
            assert self.shop.request("GET", path)[0] in (200, 400, 404, 410), path

    def test_forms_need_their_token(self):
        self.shop.get("/query?sql=SELECT+4711")
        assert "4711" in self.shop.get("/query")[1]
        for form in ["", "form=", "form=x", f"form={self.shop.token}"]:
            assert self.shop.request("POST", "/query/forget", body=form)[0] == 403, form
        assert self.shop.request("POST", "/table/customer", body="")[0] == 405
        assert self.shop.request("POST", "/query/forget", body="x" * 100_000)[0] == 413
        assert "4711" in self.shop.get("/query")[1]
        token = re.search(r'name="form" value="([^"]+)"', self.shop.get("/query")[1])[1]
        assert self.shop.request("POST", "/query/forget", body=f"form={token}")[0] == 303
        assert "4711" not in self.shop.get("/query")[1]

    def test_two_programs_at_once(self):
        other = Inspector(self.program, self.hostile_path)
        assert self.shop.cookie.split("=")[0] != other.cookie.split("=")[0]
        assert other.request("GET", "/", {"Cookie": self.shop.cookie}, cookie=None)[0] == 401
        assert other.close() == 0

    # Browsing

    def browse(self, page):
        expect(page.locator("h1")).to_have_text("shop.sqlite")
        expect(page.locator("tr", has_text="customer").first.locator("td").nth(1)).to_have_text("1\u2009200")
        page.get_by_label("Tables", exact=True).get_by_role("link", name="customer").click()
        expect(page.locator("h1")).to_contain_text("customer 1\u2009200 rows")
        rows = page.locator("#rows tbody tr")
        expect(rows).to_have_count(50)
        page.get_by_role("link", name="Next page").click()
        expect(rows.first.locator("td").first).to_have_text("51")
        page.get_by_role("columnheader", name="name").get_by_role("link").click()
        expect(rows.first.locator("td").nth(1)).to_have_text("Ada Allen")
        page.get_by_role("columnheader", name="name").get_by_role("link").click()
        expect(rows.first.locator("td").nth(1)).to_have_text("Margaret Turing")
        expect(page.get_by_role("columnheader", name="name")).to_have_attribute("aria-sort", "descending")
        page.get_by_label("Column of condition 1").select_option("email")
        page.get_by_label("Comparison of condition 1").select_option("contains")
        page.get_by_label("Value of condition 1").fill("c77")
        page.get_by_role("button", name="Filter").click()
        expect(rows).to_have_count(11)
        page.get_by_label("Column of condition 2").select_option("id")
        page.get_by_label("Comparison of condition 2").select_option("<")
        page.get_by_label("Value of condition 2").fill("100")
        page.get_by_role("button", name="Filter").click()
        expect(rows).to_have_count(1)
        rows.first.get_by_role("link").first.click()
        expect(page.locator("dl")).to_contain_text("c77@example.org")
        page.get_by_role("link", name="order by customer").click()
        expect(page.get_by_label("Value of condition 1")).to_have_value("77")
        rows.first.get_by_role("link").nth(1).click()
        expect(rows).to_have_count(1)
        expect(rows.first).to_contain_text("c77@example.org")
        page.go_back()
        expect(page.get_by_label("Value of condition 1")).to_have_value("77")

    def test_browsing(self):
        with self.page() as page:
            self.browse(page)

    def test_browsing_without_scripts(self):
        with self.page(java_script_enabled=False) as page:
            self.browse(page)

    def test_all_rows_are_on_one_page_each(self):
        """In each order, the pages together have each row once."""
        for order in ["", "order=country", "order=country&down=1", "order=photo&down=1", "order=joined"]:
            path, ids = f"/table/customer?{order}", []
            while path:
                body = self.shop.get(path)[1]
                ids += [int(text) for text in re.findall(r'<tr data-key="i(\d+)"', body)]
                following = re.search(r'<a href="([^"]+)" rel="next"', body)
                path = following and following[1].replace("&amp;", "&")
            assert sorted(ids) == list(range(1, 1201)), order
        for order in ["", "order=reviews", "order=stars&down=1"]:
            path, count = f"/table/best?{order}", 0
            while path:
                body = self.shop.get(path)[1]
                count += body.split("<tbody>")[1].count("<tr>")
                following = re.search(r'<a href="([^"]+)" rel="next"', body)
                path = following and following[1].replace("&amp;", "&")
            assert count == self.writer.execute("SELECT count(*) FROM best").fetchone()[0], order

    def test_keys(self):
        with self.page() as page:
            page.goto(self.shop.base + "/table/customer")
            page.keyboard.press("/")
            expect(page.get_by_label("Column of condition 1")).to_be_focused()
            page.get_by_label("Column of condition 1").blur()
            for key, row in [("j", 0), ("j", 1), ("k", 0), ("k", 0)]:
                page.keyboard.press(key)
                expect(page.locator("#rows tbody tr").nth(row).get_by_role("link").first).to_be_focused()
            page.keyboard.press("n")
            expect(page.locator("#rows tbody tr").first.locator("td").first).to_have_text("51")
            page.goto(self.shop.base + "/query")
            page.get_by_role("textbox", name="SQL").fill("SELECT 6 * 7 AS answer")
            page.keyboard.press("Control+Enter")
            expect(page.get_by_role("cell", name="42")).to_be_visible()

    def test_problems_of_addresses(self):
        sentence = self.shop.sentence
        assert sentence("/table/missing", 410).startswith("there is no table missing: there are best, ")
        assert sentence("/table/customer?c=x&o=eq&v=1", 400) == "there is no column x"
        assert sentence("/table/customer?c=id&o=x&v=1", 400) == "there is no comparison x"
        assert sentence("/table/customer?after=x", 400) == "the start of the page is not valid"
        assert sentence("/table/customer/row?key=i0", 404) == "There is no such row: it may have been deleted."
        assert sentence("/table/customer/row", 400) == "the address has no key of customer"
        assert sentence("/table/customer/row?key=i1&key=i2", 400) == "the address has no key of customer"
        assert sentence("/table/customer/value?key=i1&column=x", 400) == "the address has no key, or no column, of customer"
        assert sentence("/table/customer/pdf", 404) == "There is no such page."
        assert sentence("/nothing", 404) == "There is no such page."

    # Queries

    def test_queries(self):
        sentence = lambda sql: self.shop.sentence("/query?sql=" + quote(sql), 400)
        assert sentence("SELEC 1") == "near &quot;SELEC&quot;: syntax error"
        assert sentence("DELETE FROM customer") == "The statement returns no rows: use a SELECT."
        assert sentence("DELETE FROM customer RETURNING id") == "This page only reads, and the statement writes."
        assert sentence("ATTACH 'x' AS x") == "untrusted SQL can&#39;t attach a database, or run VACUUM"
        assert sentence("PRAGMA journal_mode = OFF").startswith("untrusted SQL can&#39;t run PRAGMA journal_mode")
        assert sentence("SELECT load_extension('x')") == "untrusted SQL can&#39;t call the function load_extension()"
        assert sentence(ENDLESS) == "the statement ran for more than 5.0 seconds: read less"
        assert sentence("SELECT :a").endswith("write values instead of arguments such as :name")
        assert sentence("SELECT printf('%.*c', 11000000, 'x')").startswith("the statement returned more than")
        assert sentence("SELECT 1; SELECT 2") == "Run one statement at a time."
        assert self.writer.execute("SELECT count(*) FROM customer").fetchone()[0] == 1200
        body = self.shop.get("/query?sql=" + quote('SELECT * FROM "order"'))[1]
        assert "Only the first 1,000 rows are shown: download the result for all of them." in body
        assert body.split("Result</caption>")[1].split("</table>")[0].count("<tr>") == 1001
        plan = self.shop.get("/query?sql=" + quote("SELECT total FROM \"order\" WHERE customer = 5 ORDER BY total"))[1]
        assert "SEARCH order USING INDEX order_customer (customer=?)" in plan
        assert "about 10 rows" in plan and "sorts for ORDER BY" in plan
        assert "reads the whole table" in self.shop.get("/query?sql=" + quote("SELECT stock FROM product WHERE stock = 3"))[1]

    def test_queries_of_several_lines(self):
        sql = "SELECT 1 AS a, -- one\n\n  2 AS b"
        with self.page() as page:
            page.goto(self.shop.base + "/query")
            for _ in range(2):
                page.get_by_role("textbox", name="SQL").fill(sql)
                page.get_by_role("button", name="Run").click()
                expect(page.locator("#summary")).to_contain_text("1 row, ")
                page.get_by_role("button", name="Run").click()
                expect(page.locator("#summary")).to_contain_text("1 row, ")
                expect(page.get_by_role("textbox", name="SQL")).to_have_value(sql)
            page.get_by_role("link", name="SELECT 1 AS a, -- one").click()
            expect(page.locator("#summary")).to_contain_text("1 row, ")

    def test_the_memory_of_a_query(self):
        assert self.shop.sentence("/query?sql=" + quote("SELECT length(zeroblob(300000000) || 1)"), 400) == "string or blob too big"

    def test_an_endless_query_leaves_others_alone(self):
        connection, _ = http.client.HTTPConnection(self.shop.host, self.shop.port, timeout=60), None
        connection.request("GET", "/query?sql=" + quote(ENDLESS), headers={"Cookie": self.shop.cookie})
        assert self.shop.get("/table/customer")[0] == 200
        assert self.shop.get("/query?sql=SELECT+1")[0] == 200
        assert connection.getresponse().status == 400
        connection.close()

    def test_charts(self):
        sql = quote('SELECT status, count(*) AS n FROM "order" GROUP BY status')
        for kind, mark in [("bars", '<rect class="bar"'), ("lines", "<polyline"), ("points", '<circle class="dot"')]:
            body = self.shop.get(f"/query?sql={sql}&chart={kind}")[1]
            assert "<title>n by status</title>" in body and mark in body, kind
            # The data is there as a table, too.
            assert body.count('class="number">') >= 6
        body = self.shop.get(f"/query?chart=bars&sql=" + quote("SELECT 'a' AS x, 9e999 AS y UNION SELECT 'b', -9e300 UNION SELECT 'c', 1e300"))[1]
        assert "y by x" in body
        assert "There is nothing to draw" in self.shop.get("/query?chart=bars&sql=" + quote("SELECT 'a' AS x"))[1]
        assert "There is nothing to draw" in self.shop.get("/query?chart=bars&sql=SELECT+1+AS+a&y=b")[1]

    def test_downloads(self):
        sql = 'SELECT id, status, total, NULL AS nil FROM "order" ORDER BY id DESC'
        status, headers, body = self.shop.request("GET", "/query/csv?sql=" + quote(sql))
        rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
        expected = self.writer.execute(sql).fetchall()
        assert status == 200 and headers["content-type"] == "text/csv; charset=utf-8"
        assert headers["content-disposition"].startswith('attachment; filename="query.csv"')
        assert rows[0] == ["id", "status", "total", "nil"] and len(rows) == len(expected) + 1
        assert [int(row[0]) for row in rows[1:]] == [row[0] for row in expected]
        body = self.shop.request("GET", "/query/json?sql=" + quote(sql))[2]
        assert [(row["id"], row["status"], row["total"], row["nil"]) for row in json.loads(body)] == expected
        body = self.shop.request("GET", "/table/order/csv?c=status&o=eq&v=paid&order=total&down=1")[2]
        rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
        expected = self.writer.execute("SELECT id FROM \"order\" WHERE status = 'paid' ORDER BY total DESC").fetchall()
        assert sorted(int(row[0]) for row in rows[1:]) == sorted(row[0] for row in expected)
        assert self.shop.sentence("/query/csv?sql=SELEC", 400).startswith("near")
        assert self.shop.sentence("/query/csv?sql=SELECT+1;SELECT+2", 400) == "Run one statement at a time."
        assert self.shop.sentence("/query/csv?sql=" + quote("DELETE FROM customer"), 400) == "This page only reads, and the statement writes."
        # An error after the first rows breaks the connection, so that the file is not taken for a whole one.
        late = quote("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
                     "SELECT i, CASE WHEN i = 200000 THEN abs(-9223372036854775807 - 1) END FROM n")
        try:
            self.shop.request("GET", "/query/csv?sql=" + late)
            raise AssertionError("the download seems to be complete")
        except (http.client.IncompleteRead, ConnectionError):
            pass

    def test_downloads_that_are_left(self):
        """Their statements end, and so do the read transactions."""
        sql = quote("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, (SELECT count(*) FROM customer) FROM n")
        for _ in range(20):
            connection, response = self.shop.open("GET", "/query/csv?sql=" + sql)
            response.read(100_000)
            connection.close()
        # A checkpoint that nothing holds up: it waits for readers by itself.
        self.writer.execute("PRAGMA busy_timeout = 60000")
        self.writer.execute("INSERT INTO setting VALUES ('left', 1)")
        assert self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        self.writer.execute("DELETE FROM setting WHERE key = 'left'")

    # Changes by other processes

    def test_live(self):
        with self.page() as page:
            page.goto(self.shop.base + "/table/setting?order=key")
            news = page.locator("#news")
            expect(news).to_have_text("Live")
            self.writer.execute("UPDATE setting SET value = 'light' WHERE key = 'theme'")
            expect(news).to_have_text("1 row changed")
            expect(page.locator("tr.changed")).to_have_count(1)
            expect(page.locator("tr.changed")).to_contain_text("light")
            self.writer.execute("INSERT INTO setting VALUES ('added', 1), ('other', 2)")
            expect(news).to_have_text("2 rows changed")
            expect(page.locator("#rows tbody tr")).to_have_count(5)
            self.writer.execute("DELETE FROM setting WHERE key IN ('added', 'other')")
            expect(news).to_have_text("2 rows gone")
            expect(page.locator("#rows tbody tr")).to_have_count(3)
            page.get_by_role("button", name="Pause").click()
            expect(news).to_have_text("Paused")
            with self.page() as other:
                # Another page shows that the commit was noticed.
                other.goto(self.shop.base + "/table/setting")
                expect(other.locator("#news")).to_have_text("Live")
                self.writer.execute("UPDATE setting SET value = 'dark' WHERE key = 'theme'")
                expect(other.locator("#news")).to_have_text("1 row changed")
            expect(page.locator("#rows")).to_contain_text("light")
            page.get_by_role("button", name="Pause").click()
            expect(page.locator("#rows")).to_contain_text("dark")
            page.goto(self.shop.base + "/query?sql=SELECT+1")
            expect(news).to_have_text("Live")
            self.writer.execute("UPDATE setting SET value = value + 1 WHERE key = 'limit'")
            expect(news).to_have_text("The data has changed")

    def test_commits_before_the_page_listens(self):
        with self.page() as page:
            def commit_and_continue(route):
                self.writer.execute("UPDATE setting SET value = 'early' WHERE key = 'theme'")
                # Another client of the events sees that the commit was noticed.
                line = ""
                while not line.startswith('data: {"commit"'):
                    line = response.readline().decode()
                route.continue_()
            connection, response = self.shop.open("GET", "/live")
            with contextlib.closing(connection):
                page.route("**/live", commit_and_continue, times=1)
                page.goto(self.shop.base + "/table/setting")
                expect(page.locator("#rows")).to_contain_text("early")
        self.writer.execute("UPDATE setting SET value = 'dark' WHERE key = 'theme'")

    def test_new_tables_are_listed(self):
        with self.page() as page:
            for path in ["/table/setting", "/query?sql=SELECT+1"]:
                page.goto(self.shop.base + path)
                expect(page.locator("#news")).to_have_text("Live")
                side = page.get_by_label("Tables", exact=True)
                self.writer.execute("CREATE TABLE fresh(a)")
                expect(side.get_by_role("link", name="fresh")).to_have_count(1)
                self.writer.execute("DROP TABLE fresh")
                expect(side.get_by_role("link", name="fresh")).to_have_count(0)

    def test_live_rows_that_only_look_different(self):
        """A text among numbers changes how the others are aligned."""
        self.writer.execute("CREATE TABLE aligned(id INTEGER PRIMARY KEY, v)")
        self.writer.execute("INSERT INTO aligned SELECT id, id FROM customer ORDER BY id LIMIT 60")
        with self.page() as page:
            page.goto(self.shop.base + "/table/aligned?order=id&down=1")
            expect(page.locator("#news")).to_have_text("Live")
            self.writer.execute("UPDATE aligned SET v = 'abc' WHERE id = 50")
            expect(page.locator("#news")).to_have_text("1 row changed")
            expect(page.locator("tr.changed")).to_have_count(1)
            # The next page begins after the rows that are shown now.
            self.writer.execute("INSERT INTO aligned SELECT id + 100, id FROM customer ORDER BY id LIMIT 5")
            expect(page.locator("#count")).to_have_text("65 rows")
            page.get_by_role("link", name="Next page").click()
            expect(page.locator("#rows tbody tr").first.locator("td").first).to_have_text("15")
        self.writer.execute("DROP TABLE aligned")

    def test_hidden_pages_do_not_listen(self):
        with self.page() as page:
            expect(page.locator("#news")).to_have_text("Live")
            page.evaluate("""() => {
                Object.defineProperty(document, "hidden", { value: true, configurable: true });
                document.dispatchEvent(new Event("visibilitychange"));
            }""")
            for _ in range(20_000):
                if self.shop.pages() == 1:
                    break
            else:
                raise AssertionError("a hidden page still gets events")
            page.evaluate("""() => {
                Object.defineProperty(document, "hidden", { value: false, configurable: true });
                document.dispatchEvent(new Event("visibilitychange"));
            }""")
            for _ in range(20_000):
                if self.shop.pages() == 2:
                    return
            raise AssertionError("a page that is seen again gets no events")

    def test_live_by_another_program(self):
        with self.page() as page:
            page.goto(self.shop.base + "/table/tag")
            expect(page.locator("#news")).to_have_text("Live")
            subprocess.run([self.program, "query", "--write", str(self.shop_path), "INSERT INTO tag VALUES ('late')"], check=True)
            expect(page.locator("tr.changed")).to_contain_text("late")
            self.writer.execute("DELETE FROM tag WHERE name = 'late'")

    def test_closed_pages_are_forgotten(self):
        # Those of earlier tests, too, so that they aren't counted here.
        self.wait_for_no_pages()
        contexts = []
        for _ in range(10):
            context = self.browser.new_context()
            contexts.append(context)
            for _ in range(5):
                page = context.new_page()
                page.goto(self.shop.url)
                page.wait_for_url(self.shop.base + "/")
                expect(page.locator("#news")).to_have_text("Live")
        assert self.shop.pages() == 1 + 50
        for context in contexts:
            context.close()
        self.wait_for_no_pages()

    def wait_for_no_pages(self):
        # The server learns of a closed connection by itself: the question, which is a page, is repeated until it has.
        for _ in range(20_000):
            if self.shop.pages() == 1:
                return
        raise AssertionError("closed pages still get events")

    # Hostile files

    def test_hostile_names(self):
        with self.page(self.hostile) as page:
            links = page.get_by_label("Tables", exact=True).get_by_role("link")
            addresses = {link.get_attribute("href") for link in links.all()}
            # Browsers take dots for folders.
            expected = {"/table/" + ("~" if set(name) == {"."} else "") + quote(name, safe="") for name in databases.NAMES}
            assert addresses >= expected, (addresses, expected)
            for address in sorted(addresses):
                if address.startswith("/table/") and address not in ("/table/failing", "/table/endless"):
                    response = page.goto(self.hostile.base + address)
                    assert response.status == 200, address
                    expect(page.locator("#rows tbody tr").first).to_be_visible()
            for name in databases.NAMES:
                path = "/table/" + ("~" if set(name) == {"."} else "") + "".join(f"%{byte:02X}" for byte in name.encode())
                assert page.goto(self.hostile.base + path + "/row?key=i1").status == 200, name
                assert page.goto(self.hostile.base + path + "?order=" + quote(name)).status == 200, name
                assert page.goto(self.hostile.base + f"{path}?c={quote(name)}&o=eq&v={quote(name)}").status == 200, name
                expect(page.locator("#rows tbody tr")).to_have_count(1)
            for path in ["/", "/diagram", "/space"]:
                assert page.goto(self.hostile.base + path).status == 200, path
            assert page.title() == "Space – hostile.sqlite"

    def test_hostile_values(self):
        db = databases.connect(self.hostile_path)
        values = dict(db.execute("SELECT id, CAST(v AS BLOB) FROM value").fetchall())
        with self.page(self.hostile) as page:
            assert page.goto(self.hostile.base + "/table/value").status == 200
            assert page.title() == "value – hostile.sqlite"
            expect(page.locator("#rows")).to_contain_text("<script>document.title = 'taken'</script>")
            expect(page.locator("#rows")).to_contain_text("a␀b")
            expect(page.locator("#rows")).to_contain_text("right⟨U+202E⟩left")
            expect(page.locator("#rows")).to_contain_text("10.5 MB")
            expect(page.locator("#rows")).to_contain_text("\u241b[31m")
            for identifier, value in values.items():
                assert page.goto(self.hostile.base + f"/table/value/row?key=i{identifier}").status == 200, identifier
                status, headers, body = self.hostile.request("GET", f"/table/value/value?key=i{identifier}&column=v")
                if value is None:
                    assert status == 404
                    continue
                assert (status, body) == (200, value), identifier
                assert headers["content-type"] == "application/octet-stream"
                assert headers["content-disposition"].startswith("attachment")
            page.goto(self.hostile.base + "/query?sql=" + quote("SELECT '</textarea><script>alert(1)</script>' AS \"<b>\""))
            expect(page.get_by_role("cell")).to_have_text("</textarea><script>alert(1)</script>")
            expect(page.get_by_role("textbox", name="SQL")).to_have_value(re.compile("</textarea><script>"))
        for key, n in [("r3ff8000000000000&key=tx&key=bAP8=", "1"), ("i1&key=ty&key=ttext", "2"), ("t1&key=ty&key=ttext", "3")]:
            status, body = self.hostile.get(f"/table/composite/row?key={key}")
            assert status == 200 and f"<dd>{n}</dd>" in body, key
        assert self.hostile.get("/table/wide")[1].count("<th ") == 401
        assert self.hostile.get("/table/broken/row?key=i1")[0] == 200
        assert self.hostile.sentence("/table/failing", 400).startswith("no such column: absent")
        assert self.hostile.sentence("/table/endless", 400).startswith("the statement ran for more than 5.0 seconds")
        db.close()

    def test_unusual_values(self):
        path = self.folder / "unusual.sqlite"
        db = databases.connect(path)
        db.execute(f"CREATE TABLE wide({', '.join(f'c{i}' for i in range(1_500))})")
        db.execute("INSERT INTO wide(c0, c1499) VALUES (zeroblob(70000), ?)", ["y" * 100_000])
        db.execute(f"CREATE TABLE widest({', '.join(f'c{i}' for i in range(2_000))})")
        db.execute("CREATE TABLE key(k TEXT PRIMARY KEY NOT NULL, v)")
        for value, bytes in enumerate([b"a\xff", b"a\r\nb", b"plain"]):
            db.execute("INSERT INTO key VALUES (CAST(? AS TEXT), ?)", [bytes, f"value {value}"])
        db.execute("CREATE TABLE parent(r REAL PRIMARY KEY)")
        db.execute("CREATE TABLE child(id INTEGER PRIMARY KEY, r REAL REFERENCES parent(r))")
        for value in [1.5, 1e300, float("inf")]:
            db.execute("INSERT INTO parent VALUES (?)", [value])
            db.execute("INSERT INTO child(r) VALUES (?)", [value])
        db.close()
        inspector = Inspector(self.program, path)
        with contextlib.closing(inspector):
            status, body = inspector.get("/table/wide")
            assert status == 200 and body.count("<td") == 1_501 and "100.0 kB" in body and "70.0 kB" in body
            assert inspector.sentence("/table/widest", 400).startswith("SQLite has at most 2,000 columns in a result")
            links = re.findall(r'<a href="(/table/key/row[^"]*)"', inspector.get("/table/key")[1])
            found = [re.search(r"value \d", inspector.get(link.replace("&amp;", "&"))[1])[0] for link in links]
            assert sorted(found) == ["value 0", "value 1", "value 2"], (links, found)
            links = re.findall(r'<a href="(/table/parent\?[^"]*)"', inspector.get("/table/child")[1])
            assert len(links) == 3, links
            for link in links:
                assert inspector.get(link.replace("&amp;", "&"))[1].count("<tr data-key") == 1, link
            for value in ["1e%2B300", "inf"]:
                for operation in ["eq", "has", "starts"]:
                    assert inspector.get(f"/table/child?c=r&o={operation}&v={value}")[1].count("<tr data-key") == 1, value

    def test_names_and_keys_that_are_alike(self):
        path = self.folder / "alike.sqlite"
        db = databases.connect(path)
        names = ["ä", "Ä"]
        for name in names:
            db.execute(f'CREATE TABLE "{name}"(id INTEGER PRIMARY KEY, "{name}" TEXT)')
            db.execute(f'INSERT INTO "{name}" VALUES (1, ?)', (name,))
        db.executescript("""
            CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO p VALUES (1, '01234'), (2, '1234');
            CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES P(ID), code TEXT REFERENCES P(CODE));
            INSERT INTO c VALUES (1, 1, '01234'), (2, 2, '1234'), (3, NULL, NULL);
            CREATE TABLE nullable(k TEXT PRIMARY KEY, n); INSERT INTO nullable VALUES (NULL, 1), (NULL, 2), ('\u0301abc', 3);
        """)
        inspector = Inspector(self.program, path)
        for name in names:
            assert f"<td>{name}</td>" in inspector.get("/table/" + quote(name))[1], name
        assert inspector.get("/table/P")[0] == 200
        body = inspector.get("/table/c")[1]
        links = [text.replace("&amp;", "&") for text in re.findall(r'<td[^>]*><a href="(/table/P[^"]*)"', body)]
        assert len(links) == 4, body
        for link, identifier in zip(links, ["1", "1", "2", "2"]):
            rows = re.findall(r'<tr data-key="i(\d+)"', inspector.get(link)[1])
            assert rows == [identifier], (link, rows)
        assert "c <small>by p</small></a>: 1" in inspector.get("/table/p/row?key=i1")[1]
        assert "c <small>by code</small></a>: 1" in inspector.get("/table/p/row?key=i1")[1]
        rows = re.findall(r'href="(/table/nullable/row[^"]*)"', inspector.get("/table/nullable")[1])
        assert [re.search(r"<dd>(\d)</dd>", inspector.get(row)[1])[1] for row in rows] == ["1", "2", "3"]
        assert inspector.close() == 0

    def test_large_schemas(self):
        path = self.folder / "schema.sqlite"
        db = databases.connect(path)
        columns = ", ".join(f"a_long_name_{i:04}" for i in range(700))
        db.executescript("BEGIN;" + "".join(
            f"CREATE TABLE t{i}(id INTEGER PRIMARY KEY, p REFERENCES t{max(0, i - 1)}(id));" for i in range(3500))
            + f"CREATE TABLE wide({columns}); INSERT INTO wide DEFAULT VALUES; INSERT INTO t1 VALUES (1, 1); INSERT INTO t0 VALUES (1, 1);"
            + "CREATE TABLE long(id INTEGER PRIMARY KEY, v TEXT); COMMIT;")
        db.executemany("INSERT INTO long VALUES (?, ?)", [(i, f"{i % 7}" * 20_000) for i in range(170)])
        inspector = Inspector(self.program, path)
        for address in ["/", "/table/t1", "/table/t0/row?key=i1", "/table/wide", "/space", "/diagram"]:
            assert inspector.get(address)[0] == 200, address
        assert "t1 <small>by p</small></a>: 1" in inspector.get("/table/t0/row?key=i1")[1]
        for order in ["order=v", "order=v&down=1"]:
            path, ids = f"/table/long?{order}", []
            while path:
                body = inspector.get(path)[1]
                ids += [int(text) for text in re.findall(r'<tr data-key="i(\d+)"', body)]
                following = re.search(r'<a href="([^"]+)" rel="next"', body)
                path = following and following[1].replace("&amp;", "&")
            assert sorted(ids) == list(range(170)), (order, len(ids))
        for number in ["9223372036854775807", "-9223372036854775808", "x"]:
            assert inspector.get(f"/table/long?order=v&seen={number}")[0] == 200, number
            assert inspector.get(f"/table/long?order=v&start={number}")[0] == 200, number
        assert inspector.close() == 0

    def test_the_end_with_open_pages(self):
        """A signal ends the program, whatever its pages wait for."""
        inspector = Inspector(self.program, self.shop_path)
        with self.page(inspector) as page:
            page.goto(inspector.base + "/table/customer")
            expect(page.locator("#news")).to_have_text("Live")
            live = inspector.open("GET", "/live")
            numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
            download = inspector.open("GET", "/query/csv?sql=" + quote(numbers))
            download[1].read(1_000)
            silent = http.client.HTTPConnection(inspector.host, inspector.port)
            silent.request("GET", "/query/csv?sql=" + quote(numbers + " WHERE i < 0"), headers={"Cookie": inspector.cookie})
            assert inspector.close() in (0, 130), inspector.process.returncode
            for connection in [live[0], download[0], silent]:
                connection.close()

    def test_files_that_go_away(self):
        path = self.folder / "gone.sqlite"
        sqlite3.connect(path).executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        inspector = Inspector(self.program, path)
        assert inspector.get("/table/t")[0] == 200
        moved = path.with_suffix(".moved")
        os.rename(path, moved)
        for address in ["/", "/table/t", "/query?sql=SELECT+1", "/query/csv?sql=SELECT+1"]:
            assert inspector.sentence(address, 410) == f"the file {path} was deleted"
        sqlite3.connect(path).executescript("CREATE TABLE t(a)")
        assert inspector.sentence("/table/t", 410) == f"the file {path} was replaced: start rowan inspect again"
        os.replace(moved, path)
        assert inspector.get("/table/t")[0] == 200
        assert inspector.close() == 0

    def test_locked_and_changed_files(self):
        path = self.folder / "locked.sqlite"
        db = databases.connect(path)
        db.executescript("PRAGMA journal_mode = DELETE; CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 2)")
        inspector = Inspector(self.program, path)
        assert inspector.get("/table/t")[0] == 200
        db.execute("ALTER TABLE t ADD COLUMN b DEFAULT 'new'")
        assert "<td>new</td>" in inspector.get("/table/t")[1]
        db.execute("DROP TABLE t")
        assert inspector.sentence("/table/t", 410) == "there is no table t: the database has no tables"
        db.execute("BEGIN EXCLUSIVE")
        assert inspector.sentence("/", 400) == "Another program has locked the file: try again when it has finished."
        db.execute("COMMIT")
        assert inspector.get("/")[0] == 200
        assert inspector.close() == 0

    def test_addresses_that_others_reach(self):
        process = subprocess.Popen([self.program, "inspect", str(self.shop_path), "--host", "0.0.0.0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        assert process.stdout.readline().startswith("http://0.0.0.0:")
        process.terminate()
        assert "warning: other machines can reach the page at 0.0.0.0" in process.communicate(timeout=30)[1]
        for arguments, code, text in [(["--port", "70000"], 2, "--port must be from 0 to 65535"), ([], 3, "there is no file")]:
            path = str(self.shop_path) if arguments else "missing.sqlite"
            result = subprocess.run([self.program, "inspect", path, *arguments], capture_output=True, text=True, timeout=60)
            assert result.returncode == code and text in result.stderr, result
        taken = subprocess.run([self.program, "inspect", str(self.shop_path), "--port", str(self.shop.port)], capture_output=True,
                               text=True, timeout=60)
        assert taken.returncode == 3 and f"another program listens at port {self.shop.port}" in taken.stderr, taken

    # How it looks

    def test_accessibility(self):
        axe = Axe()
        for scheme in ["light", "dark"]:
            for width in [390, 1400]:
                with self.page(viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
                    for path in PAGES:
                        page.goto(self.shop.base + path)
                        found = [f"{one['id']}: {[node['html'][:100] for node in one['nodes'][:3]]}"
                                 for one in axe.run(page, options=RULES).response["violations"]]
                        assert not found, (path, scheme, width, found)

    def test_nothing_is_cut_off(self):
        for width in WIDTHS:
            with self.page(viewport={"width": width, "height": 900}) as page:
                for path in PAGES:
                    page.goto(self.shop.base + path)
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)

    def test_the_end(self):
        """Runs last: the programs end by a signal, without an error."""
        assert self.shop.close() == 0 and self.hostile.close() == 0


def screenshots(program, browser, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "shop.sqlite"
        databases.shop(path).close()
        inspector = Inspector(program, path)
        names = {"tables": "/", "table": "/table/customer", "row": "/table/order/row?key=i5", "chart": PAGES[6], "diagram": "/diagram",
                 "space": "/space"}
        for scheme in ["light", "dark"]:
            for width in WIDTHS:
                page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
                page.goto(inspector.url)
                page.wait_for_url(inspector.base + "/")
                for name, address in names.items():
                    page.goto(inspector.base + address)
                    page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=name == "chart")
                page.close()
        inspector.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--screenshots", type=Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    program = str(Path(arguments.program).resolve())
    failed, count = [], 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        if arguments.screenshots:
            return screenshots(program, browser, arguments.screenshots)
        expect.set_options(timeout=30_000)
        tests = Tests(program, browser, Path(temporary))
        for name in [name for name in vars(Tests) if name.startswith("test_")]:
            if arguments.only and not re.search(arguments.only, name):
                continue
            count += 1
            try:
                getattr(tests, name)()
            except Exception:
                failed.append(name)
                print(f"FAILED {name}", file=sys.stderr)
                traceback.print_exc()
                picture = Path(temporary) / "failure.png"
                if picture.exists():
                    os.replace(picture, Path(tempfile.gettempdir()) / f"rowan-inspect-{name}.png")
        browser.close()
        for inspector in [tests.shop, tests.hostile]:
            if inspector.process.poll() is None:
                inspector.close()
    print(f"inspect: {count} tests, {len(failed)} failed")
    sys.exit(bool(failed))


main()
