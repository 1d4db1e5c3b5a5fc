import type { ClusterNode } from '@vidette/contract/entities';
import type { LicenseService } from '../system/license.ts';
import type { Membership } from './membership.ts';

/** A node on which a stream can be placed. */
export interface NodeChoice {
  readonly id: string;
  readonly name: string;
  /** It is up and not drained. */
  readonly available: boolean;
}

export interface NodeServiceOptions {
  readonly license: Pick<LicenseService, 'requireEnterprise'>;
  readonly membership: Pick<Membership, 'id' | 'isDrained' | 'list' | 'setDrained'>;
}

/** What the API does with nodes beyond what `Membership` does itself. */
export class NodeService {
  readonly #options: NodeServiceOptions;

  constructor(options: NodeServiceOptions) {
    this.#options = options;
  }

  /** The nodes for the form of a stream, which users without the rights of an administrator fill in too. */
  async choices(): Promise<NodeChoice[]> {
    const nodes = await this.#options.membership.list();
    return nodes.map(({ id, name, available, isDrained }) => ({
      id,
      name,
      available: available && !isDrained,
    }));
  }

  /**
   * Returns a node to service. This node needs no license for it: one that expires or is replaced while the node is
   * drained must not keep it from recording.
   * @throws Fault EnterpriseOnly, FeatureNotFound, NotFound
   */
  endDrain(id: string): Promise<ClusterNode> {
    const { license, membership } = this.#options;
    if (id !== membership.id || !membership.isDrained) license.requireEnterprise('cluster');
    return membership.setDrained(id, false);
  }
}
