#!/usr/bin/python3
"""An RTSP server over GStreamer for tests: each mount point plays one launch line, as a camera would.

    gst-server.py '{"mounts": {"/cam": "( videotestsrc ... )"}, "auth": {...}, "tls": {...}}'

Configuration, a JSON object:
  mounts   path -> launch line with payloaders pay0, pay1 (gst-rtsp-server's syntax)
  auth     {"scheme": "basic" | "digest", "user": ..., "password": ...}, optional
  tls      {"pem": certificate and key in PEM}, optional
  timeoutSeconds   after which silent sessions are dropped, default 60
  dropEverySeconds every client is disconnected that often, optional
  transport        "tcp" (default) or "udp": the only one that the server offers
Prints {"port": N} when it listens on 127.0.0.1; ends when its standard input does.
"""
import json
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import Gio, GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402


def configure_auth(server, config):
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "viewer")
    if "auth" not in config:
        auth.set_default_token(token)
    else:
        wanted = config["auth"]
        if wanted["scheme"] == "digest":
            auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
            auth.add_digest(wanted["user"], wanted["password"], token)
        else:
            basic = GstRtspServer.RTSPAuth.make_basic(wanted["user"], wanted["password"])
            auth.add_basic(basic, token)
    if "tls" in config:
        pem = config["tls"]["pem"]
        auth.set_tls_certificate(Gio.TlsCertificate.new_from_pem(pem, len(pem)))
    server.set_auth(auth)


def add_mounts(server, config):
    mounts = server.get_mount_points()
    for path, launch in config["mounts"].items():
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(launch)
        factory.set_shared(True)
        factory.set_protocols(getattr(GstRtsp.RTSPLowerTrans, config.get("transport", "tcp").upper()))
        if server.get_auth():
            permissions = GstRtspServer.RTSPPermissions()
            permissions.add_permission_for_role("viewer", "media.factory.access", True)
            permissions.add_permission_for_role("viewer", "media.factory.construct", True)
            factory.set_permissions(permissions)
        mounts.add_factory(path, factory)


def drop_clients(server):
    def close(_server, client):
        client.close()
        return GstRtspServer.RTSPFilterResult.REMOVE

    server.client_filter(close)
    return True


def main():
    config = json.loads(sys.argv[1])
    Gst.init(None)
    loop = GLib.MainLoop()
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service("0")
    if "auth" in config or "tls" in config:
        configure_auth(server, config)
    add_mounts(server, config)
    if "timeoutSeconds" in config:
        pool = server.get_session_pool()
        server.connect(
            "client-connected",
            lambda _server, client: client.connect(
                "new-session", lambda _client, session: session.set_timeout(config["timeoutSeconds"])
            ),
        )
        GLib.timeout_add_seconds(1, lambda: pool.cleanup() >= 0)
    if "dropEverySeconds" in config:
        GLib.timeout_add(int(config["dropEverySeconds"] * 1000), drop_clients, server)
    if server.attach(None) == 0:
        sys.exit("the server could not listen")

    def wait_for_end():
        sys.stdin.read()
        loop.quit()

    threading.Thread(target=wait_for_end, daemon=True).start()
    print(json.dumps({"port": server.get_bound_port()}), flush=True)
    loop.run()


main()
