"""Makes docs/src/pictures: screens of the real program as SVG.

    cargo build && target/test-tools/python/bin/python3 docs/pictures.py [NAME]

Runs `driftline demo` in a pseudo-terminal of a fixed size, with a fixed seed,
port and start of the clock, types the keys of each picture and draws what the
terminal then shows. Needs pyte from tests/requirements.txt and the program
`faketime` (Debian: faketime), so that ages and dates are the same each time.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from xml.sax.saxutils import escape

import pyte

ROOT = pathlib.Path(__file__).resolve().parent.parent
TO = ROOT / "docs/src/pictures"
PROGRAM = ROOT / "target/debug/driftline"
START = "2026-11-21 12:00:00"

# Name, columns, rows, and the steps: a text of the screen to wait for (a
# regular expression after "?"), keys to type, or seconds to wait.
# 92 columns are 828 pixels: what a page of GitHub shows without making it smaller; from 100 on
# panes have their long titles. The wave buoy of the demo breaks loose half a minute after the
# start; it is outside its watch circle within the second minute.
PICTURES = [
    ("profile", 104, 30, ["?on time", 3, "/ice buoy\r\r", "?dtc_values", 3, "wz", 1]),
    ("deployments", 92, 28, ["?on time", 3, "k", 1]),
    ("globe", 92, 28, ["?on time", 3, "/arctic\r\r", "?Summary", 2, "9z+++++", 1]),
    ("compare", 100, 34, ["?on time", 3, " /scotia\r /drake\r\r", "?nm to", 3]),
    ("ring", 92, 28, ["?on time", 3, "/wave buoy\r\r", "?outside", 5, "z", 1]),
    ("track", 92, 28, ["?on time", 3, "/date line\r\r", "?displacement|Summary", 2]),
    ("plants", 92, 20, ["?on time", 2, "3", 1, "n", 1, "\tsea holly\tnorth\r", 2, "j", 1]),
    ("activity", 92, 22, ["?on time", 4, "4", 1]),
    ("columns", 92, 26, ["?on time", 3, ",", 1]),
    ("settings", 92, 24, ["?on time", 3, ":settings", 0.5, "\r", 0.5, "jjl", 1]),
    ("where", 100, 32, ["?on time", 3, "/drake\r\r", "?Summary", 2, "Ws", 1, "-54.8,-68.3 10kn\r", 2]),
    ("alarms", 92, 26, ["?on time", 3, "A", 1]),
    ("help", 92, 30, ["?on time", 2, "?", 1]),
    ("palette", 92, 22, ["?on time", 2, ":", 0.5, "exp", 1]),
]

CELL_W, CELL_H = 9, 18
GROUND, INK = "#10141c", "#c8ccd4"
NAMED = {
    "black": "#1c1f26", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b", "blue": "#61afef",
    "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#c8ccd4", "brightblack": "#7f8797",
    "brightred": "#ff7b86", "brightgreen": "#b5e890", "brightbrown": "#ffd68a", "brightblue": "#7cc4ff",
    "brightmagenta": "#dd9bf2", "brightcyan": "#7fdbe8", "brightwhite": "#ffffff",
}  # fmt: skip


class Screen(pyte.Screen):
    """A screen that passes over what it does not know."""

    def report_device_attributes(self, *_, **__):
        pass

    def report_device_status(self, *_, **__):
        pass

    def select_graphic_rendition(self, *attributes, private=False):
        if not private:
            super().select_graphic_rendition(*attributes)


class Terminal:
    """The program in a pseudo-terminal that replies to its questions."""

    def __init__(self, columns, rows):
        self.screen = Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        command = ["faketime", "-f", f"@{START}", str(PROGRAM), "demo", "--port", "4747"]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, environment)
        size = struct.pack("HHHH", rows, columns, columns * CELL_W, rows * CELL_H)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def text(self):
        return "\n".join(self.screen.display)

    def pump(self, seconds):
        """Reads what the program writes, for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                return
            data = os.read(self.fd, 65536)
            if b"\x1b[6n" in data:
                os.write(self.fd, f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R".encode())
            if b"\x1b[c" in data:
                os.write(self.fd, b"\x1b[?62;22c")
            if b"\x1b]11;?" in data:
                os.write(self.fd, b"\x1b]11;rgb:1010/1414/1c1c\x1b\\")
            data = re.sub(rb"\x1b[PX^_].*?\x1b\\", b"", data, flags=re.S)
            self.stream.feed(re.sub(rb"\x1b\[[<>=?][0-9;]*[um]", b"", data))

    def play(self, steps):
        for step in steps:
            if isinstance(step, (int, float)):
                self.pump(step)
            elif step.startswith("?") and len(step) > 1:
                end = time.monotonic() + 180
                while not re.search(step[1:], self.text()):
                    if time.monotonic() > end:
                        raise SystemExit(f"never seen: {step[1:]}\n{self.text()}")
                    self.pump(0.1)
            else:
                for key in step:
                    os.write(self.fd, key.encode())
                    self.pump(0.1)
        self.pump(0.3)

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def colour(name, default):
    if name == "default":
        return default
    return NAMED.get(name) or f"#{name}"


# A dot of Braille, in the units of the picture.
DOT = 2.5


def path(ink, boxes):
    """The boxes (x, y, width, height) in one colour, those that touch as one."""
    merged = []
    for x, y, width, height in sorted(boxes, key=lambda one: (one[1], one[3], one[0])):
        last = merged[-1] if merged else None
        if last and last[1] == y and last[3] == height and abs(last[0] + last[2] - x) < 0.01:
            last[2] += width
        else:
            merged.append([x, y, width, height])
    lines, dots, at = "", "", None
    for x, y, width, height in merged:
        if width != DOT or height != DOT:
            lines += f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z"
        elif at and at[1] == y:
            dots += f"m{x - at[0]:g} 0h{DOT}"
            at = (x + DOT, y)
        else:
            dots += f"M{x:g} {y + DOT / 2:g}h{DOT}"
            at = (x + DOT, y)
    drawn = [f'<path fill="{ink}" d="{lines}"/>'] if lines else []
    return drawn + ([f'<path stroke="{ink}" stroke-width="{DOT}" d="{dots}"/>'] if dots else [])


# Which of the four arms (up, right, down, left) a line of a frame has.
FRAME = {
    "─": "rl", "│": "ud", "┌": "rd", "┐": "dl", "└": "ur", "┘": "ul", "├": "urd", "┤": "udl",
    "┬": "rdl", "┴": "url", "┼": "urdl", "╭": "rd", "╮": "dl", "╰": "ur", "╯": "ul",
    "━": "rl", "┃": "ud", "┏": "rd", "┓": "dl", "┗": "ur", "┛": "ul",
}  # fmt: skip
HEAVY = "━┃┏┓┗┛"


def drawn(character, x, y):
    """The boxes of a character that fills its cell; None for one of a font."""
    w, h, code = CELL_W, CELL_H, ord(character)
    if character in FRAME:
        thick = 2.5 if character in HEAVY else 1
        arms, mid_x, mid_y = FRAME[character], x + (w - thick) / 2, y + (h - thick) / 2
        parts = []
        if "u" in arms:
            parts.append((mid_x, y, thick, (h + thick) / 2))
        if "d" in arms:
            parts.append((mid_x, mid_y, thick, (h + thick) / 2))
        if "l" in arms and "r" in arms:
            parts.append((x, mid_y, w, thick))
        elif "l" in arms:
            parts.append((x, mid_y, (w + thick) / 2, thick))
        elif "r" in arms:
            parts.append((mid_x, mid_y, (w - thick) / 2 + thick, thick))
        return parts
    if 0x2800 <= code <= 0x28FF:
        dots = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
        on = [dot for bit, dot in enumerate(dots) if (code - 0x2800) >> bit & 1]
        return [(x + 1 + dx * w / 2, y + 1 + dy * h / 4, DOT, DOT) for dx, dy in on]
    if 0x2581 <= code <= 0x2588:
        part = (code - 0x2580) * h / 8
        return [(x, y + h - part, w, part)]
    if 0x2589 <= code <= 0x258F:
        return [(x, y, (0x2590 - code) * w / 8, h)]
    if character == "▀":
        return [(x, y, w, h / 2)]
    return None


def drawing(screen):
    """The screen as SVG elements, with the colours and cells of a terminal."""
    w, h = CELL_W, CELL_H
    columns = screen.columns
    grounds, paths, texts = [], {}, []
    for y in range(screen.lines):
        run = None
        for x in range(columns + 1):
            cell = screen.buffer[y][x] if x < columns else None
            if cell is not None:
                ink, ground = colour(cell.fg, INK), colour(cell.bg, GROUND)
                if cell.reverse:
                    ink, ground = ground, ink
                if ground != GROUND:
                    last = grounds[-1] if grounds else None
                    if last and last[0] == ground and last[2] == y and last[1] + last[3] == x:
                        last[3] += 1
                    else:
                        grounds.append([ground, x, y, 1])
                character = cell.data or " "
                boxes = drawn(character[0], x * w, y * h) if character != " " else []
                if boxes:
                    paths.setdefault(ink, []).extend(boxes)
                if boxes is not None:
                    character = " "
                style = (ink, cell.bold, cell.italics, cell.underscore)
            if run and (cell is None or (style != run[0] and character != " ")):
                texts.append((y, *run))
                run = None
            if cell is not None and (run or character != " "):
                run = run or [style, x, ""]
                run[2] += character
    lines = []
    for ground, x, y, length in grounds:
        # Half a unit over the next: where the picture is scaled no hairline parts two of them.
        lines += path(ground, [(x * w, y * h, length * w + 0.5, h + 0.5)])
    for ink, boxes in paths.items():
        lines += path(ink, boxes)
    for y, (ink, bold, italics, underscore), x, text in texts:
        # A gap is left out: the words on its sides are placed each by itself.
        for word in re.finditer(r"\S+(?: \S+)*", text):
            extra = ' font-weight="bold"' if bold else ""
            extra += ' font-style="italic"' if italics else ""
            extra += ' text-decoration="underline"' if underscore else ""
            at, said = x + word.start(), word.group()
            lines.append(
                f'<text x="{at * w}" y="{y * h + 14}" textLength="{len(said) * w}" fill="{ink}"{extra}>{escape(said)}</text>'
            )
    # The sandbox has a port that the system chooses.
    return [re.sub(r"(127\.0\.0\.1:)(?!4747\b)\d{5}", r"\g<1>47470", line) for line in lines]


def svg(screen):
    """The screen as one SVG."""
    columns, rows = screen.columns, screen.lines
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns * CELL_W} {rows * CELL_H}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="15" shape-rendering="crispEdges" xml:space="preserve">',
        f'<rect width="100%" height="100%" fill="{GROUND}"/>',
    ]
    return "\n".join([*lines, *drawing(screen), "</svg>", ""])


def main():
    TO.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:]
    for name, columns, rows, steps in PICTURES:
        if wanted and name not in wanted:
            continue
        terminal = Terminal(columns, rows)
        try:
            terminal.play(steps)
            (TO / f"{name}.svg").write_text(svg(terminal.screen))
        finally:
            terminal.close()
        print(f"{name}.svg")


if __name__ == "__main__":
    main()
