import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { serverDiscovery, streamDiscovery, type DiscoveryContext } from './discovery.ts';
import { serverDiscoveryTopic, streamOf, streamTopics, type TopicTree } from './topics.ts';

const tree: TopicTree = {
  base: 'vidette',
  discoveryPrefix: 'homeassistant',
  instance: '0123456789ab',
  node: undefined,
};
const context: DiscoveryContext = {
  ...{ tree, language: 'en', version: '1.2.3', publicUrl: 'https://video.example.org' },
  ...{ hasStills: true, allowsCommands: true },
};
const stream = { uid: 'k3m9x2q7w5ab', name: 'Gate', area: 'Yard', findsMotion: true };

// Home Assistant 2026.2: unknown members of a message, and of a component, are mistakes.
const topic = z.string().regex(/^[^+#]+$/);
const availability = z.array(z.strictObject({ topic, value_template: z.string().optional() })).min(1);
const common = {
  unique_id: z.string(),
  name: z.string().nullable().optional(),
  availability: availability.optional(),
  availability_mode: z.enum(['all', 'any', 'latest']).optional(),
  entity_category: z.enum(['config', 'diagnostic']).optional(),
  icon: z.string().startsWith('mdi:').optional(),
  json_attributes_topic: topic.optional(),
  json_attributes_template: z.string().optional(),
};
const stateful = { ...common, state_topic: topic, value_template: z.string().optional() };
const component = z.discriminatedUnion('platform', [
  z.strictObject({
    ...{ ...stateful, platform: z.literal('sensor') },
    device_class: z.literal('enum').optional(),
    state_class: z.literal('measurement').optional(),
    options: z.array(z.string()).optional(),
  }),
  z.strictObject({
    ...{ ...stateful, platform: z.literal('binary_sensor') },
    device_class: z.enum(['connectivity', 'motion', 'problem']),
  }),
  z.strictObject({ ...stateful, platform: z.literal('switch'), command_topic: topic }),
  z.strictObject({ ...common, platform: z.literal('camera'), topic }),
]);
const removal = z.strictObject({ platform: z.enum(['binary_sensor', 'switch', 'camera']) });
const message = z.strictObject({
  origin: z.strictObject({ name: z.string(), sw_version: z.string() }),
  availability,
  device: z.strictObject({
    identifiers: z.array(z.string()).min(1),
    manufacturer: z.string(),
    model: z.string(),
    name: z.string(),
    sw_version: z.string(),
    via_device: z.string().optional(),
    suggested_area: z.string().optional(),
    configuration_url: z.url({ protocol: /^https?$/ }).optional(),
  }),
  components: z.record(z.string(), z.union([component, removal])),
});

test('[R11.13] what is announced obeys the schema of Home Assistant’s device discovery', () => {
  const announced = message.parse(streamDiscovery(context, stream));
  assert.deepEqual(announced.device, {
    identifiers: ['vidette_0123456789ab_k3m9x2q7w5ab'],
    ...{ manufacturer: 'Vidette', model: 'Stream', name: 'Gate', sw_version: '1.2.3' },
    via_device: 'vidette_0123456789ab_server',
    suggested_area: 'Yard',
    configuration_url: 'https://video.example.org/ui/stream/k3m9x2q7w5ab/view',
  });
  const server = message.parse(serverDiscovery(context, 'Vidette'));
  assert.deepEqual(server.device.identifiers, [announced.device.via_device]);
  const ids = [announced, server].flatMap(({ components }) =>
    Object.values(components).map((one) => ('unique_id' in one ? one.unique_id : '')),
  );
  assert.equal(new Set(ids).size, 7);
});

test('[R11.13] what is switched off is removed, and nothing else', () => {
  const bare = message.parse(
    streamDiscovery(
      { ...context, publicUrl: undefined, hasStills: false, allowsCommands: false },
      { ...stream, area: '', findsMotion: false },
    ),
  );
  const removed = Object.entries(bare.components).filter(([, one]) => !('unique_id' in one));
  assert.deepEqual(removed.map(([name]) => name).sort(), ['camera', 'motion', 'recording']);
  assert.deepEqual([bare.device.suggested_area, bare.device.configuration_url], [undefined, undefined]);
});

test('[R11.13] topics name the stream, and foreign topics do not', () => {
  const { state, recordingCommand, discovery, motion } = streamTopics(tree, stream.uid);
  for (const own of [state, recordingCommand, discovery]) assert.equal(streamOf(tree, own), stream.uid, own);
  const foreign = [
    motion,
    `other/streams/${stream.uid}/state`,
    'vidette/streams/../state',
    `vidette/streams/${'a'.repeat(33)}/state`,
    `${state}/more`,
    serverDiscoveryTopic(tree),
    'homeassistant/device/vidette_000000000000/k3m9x2q7w5ab/config',
  ];
  for (const one of foreign) assert.equal(streamOf(tree, one), undefined, one);
});

test('[R11.13] nodes of a cluster have topics of their own, whatever their ids', () => {
  const [a, b] = ['node.a', 'node_a'].map((node) => serverDiscoveryTopic({ ...tree, node }));
  assert.notEqual(a, b);
  assert.match(a ?? '', /^homeassistant\/device\/vidette_[0-9a-f]{12}\/[A-Za-z0-9_-]+\/config$/);
});
