import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { hashSecret } from '../access/secrets.ts';
import { Fault } from '../base/fault.ts';
import { newRegistry, type MetricsSources } from '../statistics/metrics.ts';
import type { Config } from '../config/schema.ts';

/** The dependencies of the metrics. */
export interface MetricsServices extends MetricsSources {
  readonly config: Pick<Config, 'metrics'>;
}

/**
 * `GET /metrics` for Prometheus, in its text format [R10.10]. It requires the configured token and does not
 * exist without one; the library is loaded on the first scrape.
 */
export function serveMetrics(server: FastifyInstance, services: MetricsServices): void {
  let registry: Promise<Registry> | undefined;
  server.get('/metrics', async (request, reply) => {
    const { token } = services.config.metrics;
    if (token === null) throw new Fault('NotFound', 'Metrics are disabled.');
    const given = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(token)))) {
      void reply.header('www-authenticate', 'Bearer');
      throw new Fault('AuthorizationRequired', 'The metrics token is required.');
    }
    registry ??= newRegistry(services);
    const made = await registry;
    return reply
      .header('cache-control', 'no-store')
      .type(made.contentType)
      .send(await made.metrics());
  });
}
