import { z } from 'zod';
import { universalErrors, type Call } from '@vidette/contract/call';
import { calls } from '@vidette/contract/calls';
import { productName } from '@vidette/contract/constants';
import { catalogue, type ErrorCode } from '@vidette/contract/errors';
import { WebhookNotification } from '@vidette/contract/notifications';
import { routes, type CallName } from '@vidette/contract/routes';
import { exampleOf, withoutExamples } from './openapi-examples.ts';

type JsonObject = Record<string, unknown>;

const roles = {
  anyone: 'Anyone may call it.',
  user: 'Any signed-in user may call it.',
  creator: 'Users who may add streams may call it.',
  admin: 'Administrators only.',
} as const;

/**
 * The contract as an OpenAPI 3.1 document: generated from the same schemas that validate requests and answers
 * [R7.55].
 */
export function openApiDocument(version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const name of Object.keys(routes) as CallName[]) {
    const { path, method } = routes[name];
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(name, calls[name]);
  }
  paths['/metrics'] = { get: metricsOperation() };
  return {
    openapi: '3.1.0',
    info: { title: productName, version },
    servers: [{ url: '/' }],
    security: [{ session: [] }, { token: [] }],
    paths,
    webhooks: { notification: { post: webhookOperation() } },
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'vidette_session' },
        token: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: errorSchema },
    },
  };
}

const errorSchema: JsonObject = {
  type: 'object',
  required: ['code', 'error'],
  properties: {
    code: { type: 'string', enum: Object.keys(catalogue) },
    error: { type: 'string' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'code', 'error'],
        properties: { path: { type: 'string' }, code: { type: 'string' }, error: { type: 'string' } },
      },
    },
  },
};

function operationOf(name: CallName, call: Call): JsonObject {
  const parameters = [...parametersOf(call.params, 'path'), ...parametersOf(call.query, 'query')];
  const right = call.stream ? ` The right "${call.stream}" on the stream is required.` : '';
  return {
    operationId: name,
    tags: [tagOf(routes[name].path)],
    summary: call.summary,
    description: roles[call.who] + right,
    ...(call.who === 'anyone' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(call.body
      ? {
          requestBody: {
            required: true,
            content: jsonOf(schemaOf(call.body, 'input')),
          },
        }
      : {}),
    responses: { ...successOf(call), ...failuresOf(call) },
  };
}

/** Not a call of the contract: its client is Prometheus, with its own token. */
function metricsOperation(): JsonObject {
  return {
    operationId: 'getMetrics',
    tags: ['metric'],
    summary: 'Metrics in Prometheus text format',
    description: 'Requires the token in `metrics.token`; without one the address does not exist.',
    security: [{ token: [] }],
    responses: {
      200: { description: 'Done', content: { 'text/plain': {} } },
      ...failures(['AuthorizationRequired', 'NotFound', 'BadRequest', 'InternalServerError']),
    },
  };
}

/** What the server sends to the webhooks of users' rules. */
function webhookOperation(): JsonObject {
  const header = (name: string, description: string, example: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  });
  return {
    operationId: 'notification',
    tags: ['notification-target'],
    summary: 'A notification of a rule, as a webhook receives it',
    description:
      'Signed by Standard Webhooks with the key of the target. Sent until a response accepts it, with the same id each time. The same JSON is the payload of an MQTT message.',
    security: [],
    parameters: [
      header('webhook-id', 'The same in every attempt to deliver this notification', 'r7-e1042-t3'),
      header('webhook-timestamp', 'When this attempt was made, seconds since the epoch', '1795255200'),
      header(
        'webhook-signature',
        '`v1,` and the base64 of HMAC-SHA-256 over id, time and body, with dots between them',
        'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      ),
    ],
    requestBody: { required: true, content: jsonOf(schemaOf(WebhookNotification, 'output')) },
    responses: {
      '2XX': { description: 'Accepts the notification; the body is not read' },
      '4XX': {
        description:
          'Refuses it: after the eighth such response it is given up. 408, 425 and 429 mean later, as any other failure does.',
      },
    },
  };
}

function jsonOf(schema: JsonObject): JsonObject {
  return { 'application/json': { schema: withoutExamples(schema), example: exampleOf(schema) } };
}

function tagOf(path: string): string {
  return (path.split('/')[2]?.split('.')[0] ?? '').replace(/s$/, '');
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...member }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(typeof description === 'string' ? { description } : {}),
    schema: withoutExamples(member),
    ...(place === 'path' || required.includes(name) ? { example: exampleOf(member) } : {}),
  }));
}

function successOf(call: Call): JsonObject {
  if (!('contentType' in call.reply)) {
    return { 200: { description: 'Done', content: jsonOf(schemaOf(call.reply, 'output')) } };
  }
  const { contentType, otherTypes = [], isRanged } = call.reply;
  if (contentType === 'websocket') {
    return {
      101: { description: 'The connection becomes a WebSocket (RFC 6455); any other request is refused' },
    };
  }
  const content = Object.fromEntries([contentType, ...otherTypes].map((type) => [type, {}]));
  return {
    200: { description: 'Done', content },
    ...(isRanged
      ? {
          206: { description: 'The requested byte range', content },
          416: {
            description: 'The range is not satisfiable: `Content-Range` contains the total length',
            content,
          },
        }
      : {}),
  };
}

/** One response per status, naming its error codes. */
function failuresOf(call: Call): JsonObject {
  const codes = new Set<ErrorCode>([...call.errors, ...universalErrors]);
  if (call.whileLocked) codes.delete('LifetimeCodeRequired');
  return failures(codes);
}

function failures(codes: Iterable<ErrorCode>): JsonObject {
  const byStatus = Map.groupBy(codes, (code) => String(catalogue[code].status));
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${catalogue[code].en}`).join('\n\n'),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              group.map((code) => [code, { value: { code, error: catalogue[code].en } }]),
            ),
          },
        },
      },
    ]),
  );
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return json;
}
