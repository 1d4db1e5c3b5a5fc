/** The servers that share one configuration. */
export const cluster = {
  'cluster.alone': 'This server runs alone: there is no other node that could take over its streams.',
  'cluster.unlicensed':
    'Several servers under one configuration, and taking one of them out of work, come with an enterprise license that covers the cluster. A server that runs alone needs none.',
  'cluster.license': 'Show the license',
  'cluster.self': 'this server',
  'cluster.state.working': 'Working',
  'cluster.state.draining': 'Draining',
  'cluster.state.drained': 'Drained',
  'cluster.state.away': 'Away',
  'cluster.streams': 'Streams',
  'cluster.streams.count': '{count, plural, one {# stream} other {# streams}}',
  'cluster.streams.ofCapacity': '{streams} of at most {capacity}',
  'cluster.streams.active': '{all}, {active} in work',
  'cluster.lastSeen': 'Last seen',
  'cluster.version': 'Version',
  'cluster.id': 'Id',
  'cluster.name': 'Name',
  'cluster.rename': 'Rename',
  'cluster.rename.title': 'Rename {name}',
  'cluster.drain': 'Drain {name}',
  'cluster.drain.title': 'Drain {name}?',
  'cluster.drain.stops':
    '{count, plural, =0 {No other node can take over. Until it returns, nothing is recorded or shown live here.} one {No other node can take over its stream: until it returns, the stream is neither recorded nor shown live. Its archive stays.} other {No other node can take over its # streams: until it returns, they are neither recorded nor shown live. Their archive stays.}}',
  'cluster.drain.moves':
    '{count, plural, =0 {It gets no streams until it returns.} one {Its stream goes on at another node; it gets none until it returns.} other {Its # streams go on at other nodes; it gets none until it returns.}}',
  'cluster.draining': '{left} of {total} streams are still to be ended.',
  'cluster.drained.stopped':
    'It records nothing and shows nothing live until it returns: no other node has taken over.',
  'cluster.drained.moved': 'Its streams go on at other nodes. It gets none until it returns.',
  'cluster.drained.title': 'This node is drained',
  'cluster.drained.text':
    'It records nothing and shows nothing live until it returns. Returning needs no license.',
  'cluster.return': 'Return {name} to work',
  'cluster.returned': '{name} has returned to work',
  'cluster.forget': 'Forget {name}',
  'cluster.forgotten': '{name} is forgotten',
  'cluster.failed': 'The node could not be changed',
};
