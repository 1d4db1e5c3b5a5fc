import { productName } from '@vidette/contract/constants';
import type { MessageLanguage } from '@vidette/contract/errors';
import { problemsTopic, serverObject, statusTopic, streamTopics, type TopicTree } from './topics.ts';

// Home Assistant's discovery of devices (https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload): one
// message announces a device with all its entities. Home Assistant rejects unknown members of the message.

/** What all devices of this server have in common. */
export interface DiscoveryContext {
  readonly tree: TopicTree;
  readonly language: MessageLanguage;
  /** Of the product. */
  readonly version: string;
  /** Base address of the page, without a slash at its end; undefined if it is not configured. */
  readonly publicUrl: string | undefined;
  readonly hasStills: boolean;
  readonly allowsCommands: boolean;
}

export interface DiscoveredStream {
  readonly uid: string;
  readonly name: string;
  /** Where the camera is; empty if that is not known. */
  readonly area: string;
  readonly findsMotion: boolean;
}

type Component = Readonly<Record<string, unknown>>;

const words = {
  en: { status: 'Status', recording: 'Recording', problems: 'Problems', problem: 'Problem' },
  ru: { status: 'Состояние', recording: 'Запись', problems: 'Неполадки', problem: 'Неполадка' },
} as const;

/** Values of a stream's status. */
const statuses = ['pending', 'running', 'failed', 'paused', 'disabled'];

/** Announces a stream: status, connection, motion, a still and a switch for recording. */
export function streamDiscovery(context: DiscoveryContext, stream: DiscoveredStream): Component {
  const { tree, publicUrl } = context;
  const { uid, name, area } = stream;
  return {
    ...common(context),
    device: {
      ...device(context, uid),
      name,
      model: 'Stream',
      via_device: deviceId(tree, serverObject(tree)),
      ...(area === '' ? {} : { suggested_area: area }),
      ...(publicUrl !== undefined && { configuration_url: `${publicUrl}/ui/stream/${uid}/view` }),
    },
    components: { ...stateEntities(context, stream), ...sceneEntities(context, stream) },
  };
}

/** What is known of a stream at all times. */
function stateEntities({ tree, language, allowsCommands }: DiscoveryContext, { uid }: DiscoveredStream) {
  const { state, recordingCommand } = streamTopics(tree, uid);
  const diagnostic = { state_topic: state, entity_category: 'diagnostic' };
  return {
    status: {
      platform: 'sensor',
      unique_id: entityId(tree, uid, 'status'),
      name: words[language].status,
      ...diagnostic,
      value_template: '{{ value_json.status }}',
      json_attributes_topic: state,
      json_attributes_template: "{{ {'reason': value_json.reason} | tojson }}",
      device_class: 'enum',
      options: statuses,
    },
    connection: {
      platform: 'binary_sensor',
      unique_id: entityId(tree, uid, 'connection'),
      ...diagnostic,
      value_template: "{{ 'ON' if value_json.status == 'running' else 'OFF' }}",
      device_class: 'connectivity',
    },
    recording: onlyIf(allowsCommands, 'switch', {
      unique_id: entityId(tree, uid, 'recording'),
      name: words[language].recording,
      icon: 'mdi:record-rec',
      state_topic: state,
      value_template: '{{ value_json.recording }}',
      command_topic: recordingCommand,
    }),
  };
}

/** What is known while it delivers video: the last that was seen of a camera is not its current state. */
function sceneEntities({ tree, hasStills }: DiscoveryContext, { uid, findsMotion }: DiscoveredStream) {
  const { state, motion, still } = streamTopics(tree, uid);
  const running = {
    topic: state,
    value_template: "{{ 'online' if value_json.status == 'running' else 'offline' }}",
  };
  const whileRunning = { availability: [{ topic: statusTopic(tree) }, running], availability_mode: 'all' };
  return {
    motion: onlyIf(findsMotion, 'binary_sensor', {
      unique_id: entityId(tree, uid, 'motion'),
      state_topic: motion,
      device_class: 'motion',
      ...whileRunning,
    }),
    // Without a name of its own, it has that of the device.
    camera: onlyIf(hasStills, 'camera', {
      unique_id: entityId(tree, uid, 'camera'),
      name: null,
      topic: still,
      ...whileRunning,
    }),
  };
}

/** Announces the server itself: the number of its problems. */
export function serverDiscovery(context: DiscoveryContext, name: string): Component {
  const { tree, language, publicUrl } = context;
  const object = serverObject(tree);
  const state = { state_topic: problemsTopic(tree), entity_category: 'diagnostic' };
  return {
    ...common(context),
    device: {
      ...device(context, object),
      name,
      model: 'Server',
      ...(publicUrl !== undefined && { configuration_url: `${publicUrl}/ui/` }),
    },
    components: {
      problems: {
        platform: 'sensor',
        unique_id: entityId(tree, object, 'problems'),
        name: words[language].problems,
        ...state,
        value_template: '{{ value_json.count }}',
        json_attributes_topic: problemsTopic(tree),
        state_class: 'measurement',
        icon: 'mdi:alert-outline',
      },
      problem: {
        platform: 'binary_sensor',
        unique_id: entityId(tree, object, 'problem'),
        name: words[language].problem,
        ...state,
        value_template: "{{ 'ON' if value_json.count > 0 else 'OFF' }}",
        device_class: 'problem',
      },
    },
  };
}

/** A component with nothing but its platform removes the entity that an earlier message announced. */
function onlyIf(isThere: boolean, platform: string, component: Component): Component {
  return isThere ? { platform, ...component } : { platform };
}

function common({ tree, version }: DiscoveryContext): Component {
  return {
    origin: { name: productName, sw_version: version },
    availability: [{ topic: statusTopic(tree) }],
  };
}

function device({ tree, version }: DiscoveryContext, object: string): Component {
  return { identifiers: [deviceId(tree, object)], manufacturer: productName, sw_version: version };
}

function deviceId({ instance }: TopicTree, object: string): string {
  return `vidette_${instance}_${object}`;
}

function entityId(tree: TopicTree, object: string, entity: string): string {
  return `${deviceId(tree, object)}_${entity}`;
}
