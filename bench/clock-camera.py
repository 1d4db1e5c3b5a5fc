#!/usr/bin/python3
"""An RTSP camera whose frames carry their capture time, as cells along its top edge.

The strip is laid out as that of the demo: source (server/src/ffmpeg/demo-clock.ts): 4 cells of sync, 48 bits of UTC
milliseconds, 8 bits of variant, 16 bits of CRC-16/CCITT over those 56, 4 cells of sync; white is 1.
With the argument h265 it sends smaller video in H.265. Prints {"port": N} when it listens on a free port of the loopback interface.
"""
import json
import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

IS_H265 = sys.argv[1:] == ["h265"]
WIDTH, HEIGHT, FPS = (640, 360, 25) if IS_H265 else (1280, 720, 25)
CELLS, STRIP_LINES = 80, 32
BACKGROUND = bytes([70]) * WIDTH
CHROMA = bytes([128]) * (WIDTH * HEIGHT // 2)

H264 = (
    f"x264enc threads=1 tune=zerolatency speed-preset=ultrafast bitrate=1500 key-int-max={FPS} "
    f"! video/x-h264,profile=baseline ! rtph264pay name=pay0 pt=96 config-interval=-1"
)
H265 = (
    f"x265enc tune=zerolatency speed-preset=ultrafast bitrate=800 key-int-max={FPS} "
    f"! h265parse ! rtph265pay name=pay0 pt=96 config-interval=-1"
)
LAUNCH = (
    f"( appsrc name=src is-live=true format=time do-timestamp=true "
    f"caps=video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={FPS}/1 "
    f"! {H265 if IS_H265 else H264} )"
)


def bits(value, count):
    return [(value >> (count - 1 - index)) & 1 for index in range(count)]


def strip_line(utc_ms):
    payload = bits(utc_ms, 48) + bits(0, 8)
    crc = 0xFFFF
    for bit in payload:
        carry = ((crc >> 15) & 1) ^ bit
        crc = ((crc << 1) & 0xFFFF) ^ (0x1021 if carry else 0)
    cells = [1, 0, 1, 0] + payload + bits(crc, 16) + [0, 1, 0, 1]
    return b"".join(bytes([235 if cell else 16]) * (WIDTH // CELLS) for cell in cells)


def picture(number):
    """A strip, and a bar that walks so that the encoder has something to do."""
    left = (number * 8) % (WIDTH - 64)
    bar = BACKGROUND[:left] + bytes([200]) * 64 + BACKGROUND[left + 64 :]
    lines = strip_line(int(time.time() * 1000)) * STRIP_LINES
    return lines + BACKGROUND * 200 + bar * 64 + BACKGROUND * (HEIGHT - STRIP_LINES - 264) + CHROMA


class ClockFactory(GstRtspServer.RTSPMediaFactory):
    def __init__(self):
        super().__init__()
        self.set_launch(LAUNCH)
        self.set_shared(True)
        self.connect("media-configure", self.on_configure)

    def on_configure(self, _factory, media):
        source = media.get_element().get_by_name("src")
        state = {"number": 0}

        def push():
            buffer = Gst.Buffer.new_wrapped(picture(state["number"]))
            state["number"] += 1
            return source.emit("push-buffer", buffer) == Gst.FlowReturn.OK

        GLib.timeout_add(1000 // FPS, push)


Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service("0")
server.get_mount_points().add_factory("/clock", ClockFactory())
if not server.attach(None):
    sys.exit("cannot listen")
print(json.dumps({"port": server.get_bound_port()}), flush=True)
GLib.MainLoop().run()
