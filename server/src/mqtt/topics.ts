import { createHash } from 'node:crypto';

/** The topics of this server on its broker (guide/home-assistant.md lists them). */
export interface TopicTree {
  /** `mqtt.topic`. */
  readonly base: string;
  /** `mqtt.discoveryPrefix`. */
  readonly discoveryPrefix: string;
  /** Names this server, or this cluster, among all that use the broker: hex. */
  readonly instance: string;
  /** `node.id` in a cluster, each of whose nodes has its own status; undefined: a single server. */
  readonly node: string | undefined;
}

export interface StreamTopics {
  /** JSON: status, reason, whether it is recorded. */
  readonly state: string;
  /** `ON` or `OFF`. */
  readonly motion: string;
  /** A JPEG. */
  readonly still: string;
  /** Home Assistant's discovery of the stream. */
  readonly discovery: string;
  /** Where `ON` and `OFF` switch recording. */
  readonly recordingCommand: string;
}

/** `online` or `offline`: the will of the connection. */
export const statusTopic = (tree: TopicTree) => `${serverRoot(tree)}/status`;
/** JSON: the problems of this server. */
export const problemsTopic = (tree: TopicTree) => `${serverRoot(tree)}/problems`;
/** Where Home Assistant says that it has started. */
export const homeAssistantTopic = (tree: TopicTree) => `${tree.discoveryPrefix}/status`;
/** Of the notifications of a target. */
export const notificationTopic = (base: string, topic: string) => `${base}/notifications/${topic}`;

function serverRoot({ base, node }: TopicTree): string {
  return node === undefined ? base : `${base}/nodes/${node}`;
}

export function streamTopics({ base, ...tree }: TopicTree, uid: string): StreamTopics {
  const root = `${base}/streams/${uid}`;
  return {
    state: `${root}/state`,
    motion: `${root}/motion`,
    still: `${root}/still`,
    discovery: discoveryTopic(tree, uid),
    recordingCommand: `${root}/recording/set`,
  };
}

/** Of this server itself, in Home Assistant's discovery. */
export function serverDiscoveryTopic(tree: TopicTree): string {
  return discoveryTopic(tree, serverObject(tree));
}

/** What the server is called among the devices of its instance; no stream has such a uid. */
export function serverObject({ node }: TopicTree): string {
  if (node === undefined) return 'server';
  // A node's id may contain dots, which Home Assistant's topics may not.
  return `node_${createHash('sha256').update(node).digest('hex').slice(0, 12)}`;
}

function discoveryTopic(
  { discoveryPrefix, instance }: Pick<TopicTree, 'discoveryPrefix' | 'instance'>,
  object: string,
): string {
  return `${discoveryPrefix}/device/vidette_${instance}/${object}/config`;
}

/** Subscriptions. */
export const commandFilter = ({ base }: TopicTree) => `${base}/streams/+/recording/set`;
export const stateFilter = ({ base }: TopicTree) => `${base}/streams/+/state`;
export const discoveryFilter = (tree: TopicTree) => discoveryTopic(tree, '+');

const uidPattern = /^[a-z0-9]{1,32}$/;

/** The stream that a topic of one of these filters is about; undefined for all others. */
export function streamOf(tree: TopicTree, topic: string): string | undefined {
  const levels = topic.split('/');
  for (const filter of [commandFilter(tree), stateFilter(tree), discoveryFilter(tree)]) {
    const wanted = filter.split('/');
    const uid = levels[wanted.indexOf('+')];
    const isMatch =
      wanted.length === levels.length && wanted.every((level, at) => level === '+' || level === levels[at]);
    if (isMatch && uid !== undefined && uid !== serverObject(tree) && uidPattern.test(uid)) return uid;
  }
  return undefined;
}
