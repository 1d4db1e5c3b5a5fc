"""OpenStack Swift behind its S3 interface: account, container and object server and their proxy in one process, on
loopback, with all they keep in one folder. Prints the port of the proxy as JSON when it listens. Argument: JSON with
`folder`, `port` (0: any), `accessKey` and `secretKey`; restarted on the same folder it has the same data."""
import ctypes
import json
import os
import signal
import sys

import eventlet

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)

from eventlet import wsgi  # noqa: E402
from swift.account.server import AccountController  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402
from swift.container.server import ContainerController  # noqa: E402
from swift.obj.server import ObjectController  # noqa: E402

# A test that dies takes its server along: PR_SET_PDEATHSIG.
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
options = json.loads(sys.argv[1])
folder = options['folder']


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


os.makedirs(os.path.join(folder, 'devices', 'disk'), exist_ok=True)
utils.SWIFT_CONF_FILE = write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = test\n')
utils.validate_hash_conf()

controllers = {'account': AccountController, 'container': ContainerController, 'object': ObjectController}
for name, controller in controllers.items():
    listener = eventlet.listen(('127.0.0.1', 0))
    port = listener.getsockname()[1]
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'disk',
                  'meta': ''})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, '%s.ring.gz' % name))
    app = controller({'devices': os.path.join(folder, 'devices'), 'mount_check': 'false', 'swift_dir': folder,
                      'fallocate_reserve': '0', 'bind_ip': '127.0.0.1', 'bind_port': str(port)})
    eventlet.spawn(wsgi.server, listener, app, log_output=False, protocol=SwiftHttpProtocol, debug=False)

# `test:KEY` is how its own sign-in writes an account and a user; S3 clients take it as the id of their key.
account, user = options['accessKey'].split(':')
filters = ['catch_errors', 'cache', 'listing_formats', 'bulk', 's3api', 'tempauth', 'slo', 'dlo']
proxy = write('proxy.conf', '\n'.join([
    '[DEFAULT]', 'swift_dir = %s' % folder,
    '[pipeline:main]', 'pipeline = %s proxy-server' % ' '.join(filters),
    '[app:proxy-server]', 'use = egg:swift#proxy', 'allow_account_management = true', 'account_autocreate = true',
    # A pause of the whole process is no sign that a part of it is broken.
    'error_suppression_limit = 1000000',
    *['[filter:%s]\nuse = egg:swift#%s' % (name, name) for name in filters if name not in ('cache', 'tempauth')],
    # Nothing listens there: Swift works without a cache.
    '[filter:cache]', 'use = egg:swift#memcache', 'memcache_servers = 127.0.0.1:1',
    '[filter:tempauth]', 'use = egg:swift#tempauth',
    'user_%s_%s = %s .admin' % (account, user, options['secretKey']), '']))
listener = eventlet.listen(('127.0.0.1', options['port']))
app = loadapp(proxy, global_conf={'log_level': 'ERROR'})
print(json.dumps({'port': listener.getsockname()[1]}), flush=True)
wsgi.server(listener, app, log_output=False, protocol=SwiftHttpProtocol, debug=False)
