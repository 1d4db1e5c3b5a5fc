import type { ClusterNode } from '@vidette/contract/entities';
import type { LicenseService } from '../system/license.ts';
import type { Membership } from './membership.ts';

/** A node to which a stream can be assigned. */
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

/** The API's operations on nodes, beyond those of `Membership`. */
export class NodeService {
  readonly #options: NodeServiceOptions;

  constructor(options: NodeServiceOptions) {
    this.#options = options;
  }

  /** The nodes for the form of a stream, which is also used by users who are not administrators. */
  async choices(): Promise<NodeChoice[]> {
    const nodes = await this.#options.membership.list();
    return nodes.map(({ id, name, available, isDrained }) => ({
      id,
      name,
      available: available && !isDrained,
    }));
  }

  /**
   * Returns a node to service. This node needs no license for that: a license that expires or is replaced while
   * the node is drained must not keep it from recording.
   * @throws Fault EnterpriseOnly, FeatureNotFound, NotFound
   */
  endDrain(id: string): Promise<ClusterNode> {
    const { license, membership } = this.#options;
    if (id !== membership.id || !membership.isDrained) license.requireEnterprise('cluster');
    return membership.setDrained(id, false);
  }
}
