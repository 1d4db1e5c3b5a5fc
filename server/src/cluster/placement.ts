import type { ClusterMember, Move, StreamPlace } from '../store/cluster-tables.ts';

/**
 * Maximum number of streams handed to one node simultaneously: each opens its source a second time meanwhile.
 */
const handOversMax = 8;
/**
 * A source that the next node can't open within this time while the current one reads it may allow only one
 * connection.
 */
const handOverMs = 15_000;

export type PlacedMember = Pick<ClusterMember, 'id' | 'isThere' | 'isDrained' | 'cannotRecord' | 'capacity'>;

export interface PlacementInput {
  readonly members: readonly PlacedMember[];
  readonly places: readonly StreamPlace[];
  /**
   * Whether a node whose lease has expired counts as dead: not right after the database itself was unavailable.
   */
  readonly mayDeclareDead: boolean;
  /** Whether a stream may now be moved only to balance the load. */
  readonly mayBalance: boolean;
  /** Whether a node has footage of a stream. */
  readonly knows: (nodeId: string, uid: string) => boolean;
  /** Whether a stream was recently tried on a node, and its source did not come up. */
  readonly refused: (nodeId: string, uid: string) => boolean;
}

/** The moves that streams need. Deterministic: planning twice from the same input gives the same moves. */
export function planMoves(input: PlacementInput): Move[] {
  return new Placement(input).plan();
}

/** The best node for a new stream; undefined when all are full. `own` is preferred among equals. */
export function bestNode(
  members: readonly PlacedMember[],
  places: Iterable<StreamPlace>,
  own: string,
): string | undefined {
  const room = new NodeRoom(members, places);
  return room.best((id) => (id === own ? 1 : 0));
}

/** How many streams each node has or is about to have. */
class NodeRoom {
  readonly #open: readonly PlacedMember[];
  readonly #counts = new Map<string, number>();
  readonly #incoming = new Map<string, number>();

  constructor(members: readonly PlacedMember[], places: Iterable<StreamPlace>) {
    this.#open = members.filter((member) => member.isThere && !member.isDrained);
    for (const { nodeId, nextNodeId } of places) {
      this.#add(this.#counts, nextNodeId ?? nodeId);
      if (nextNodeId !== null) this.#add(this.#incoming, nextNodeId);
    }
  }

  get open(): readonly PlacedMember[] {
    return this.#open;
  }

  count(id: string): number {
    return this.#counts.get(id) ?? 0;
  }

  incoming(id: string): number {
    return this.#incoming.get(id) ?? 0;
  }

  /** By share of the capacity if all nodes have a limit, otherwise by number. */
  load({ id, capacity }: PlacedMember): number {
    const isShare = this.#open.every((member) => member.capacity !== null);
    return isShare && capacity !== null ? this.count(id) / capacity : this.count(id);
  }

  hasRoom({ id, capacity }: PlacedMember): boolean {
    return capacity === null || this.count(id) < capacity;
  }

  /**
   * Nodes that can record before those that can't; of these the least loaded with room; among equals the
   * highest `rank`, then by id.
   */
  best(
    rank: (id: string) => number,
    allows: (member: PlacedMember) => boolean = () => true,
  ): string | undefined {
    return this.#open
      .filter((member) => this.hasRoom(member) && allows(member))
      .toSorted(
        (a, b) =>
          Number(a.cannotRecord) - Number(b.cannotRecord) ||
          this.load(a) - this.load(b) ||
          rank(b.id) - rank(a.id) ||
          (a.id < b.id ? -1 : 1),
      )[0]?.id;
  }

  move(from: string, to: string, isHandOver: boolean): void {
    this.#counts.set(from, this.count(from) - 1);
    this.#add(this.#counts, to);
    if (isHandOver) this.#add(this.#incoming, to);
  }

  #add(counts: Map<string, number>, id: string): void {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
}

class Placement {
  readonly #input: PlacementInput;
  readonly #members: ReadonlyMap<string, PlacedMember>;
  readonly #room: NodeRoom;
  readonly #moves: Move[] = [];

  constructor(input: PlacementInput) {
    this.#input = input;
    this.#members = new Map(input.members.map((member) => [member.id, member]));
    this.#room = new NodeRoom(input.members, input.places);
  }

  plan(): Move[] {
    const places = this.#input.places.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
    for (const place of places) {
      if (this.#isGone(place.nodeId)) this.#rescue(place);
      else if (place.nextNodeId !== null) this.#follow(place, place.nextNodeId);
      else if (this.#mustGo(place.nodeId)) this.#handOver(place);
    }
    if (this.#moves.length === 0 && this.#input.mayBalance) this.#balance(places);
    return this.#moves;
  }

  /** An unknown node is always dead; one whose lease has expired is dead when that may be concluded. */
  #isGone(id: string): boolean {
    const member = this.#members.get(id);
    return member === undefined || (!member.isThere && this.#input.mayDeclareDead);
  }

  /** Whether the streams of a node must move to another: it is drained, or its disk can't be written. */
  #mustGo(id: string): boolean {
    const member = this.#members.get(id);
    return member?.isDrained === true || member?.cannotRecord === true;
  }

  #isOpen(id: string): boolean {
    return this.#room.open.some((member) => member.id === id);
  }

  /** Its node is dead: the node that has already started takes it, else the best one. */
  #rescue({ uid, epoch, nodeId, nextNodeId }: StreamPlace): void {
    const isBegun = nextNodeId !== null && this.#isOpen(nextNodeId);
    const to = isBegun ? nextNodeId : this.#best(uid);
    if (to === undefined) return;
    if (!isBegun) this.#room.move(nextNodeId ?? nodeId, to, false);
    this.#moves.push({ kind: 'take', uid, epoch, to, gone: nodeId });
  }

  /** It is being handed over: its next node reports when that is done, unless something has intervened. */
  #follow(place: StreamPlace, to: string): void {
    const { uid, epoch, nodeId } = place;
    const isNeeded = this.#mustGo(nodeId);
    if (this.#isGone(to) || this.#mustGo(to)) {
      this.#moves.push({ kind: 'hand-over', uid, epoch, to: null });
    } else if (place.handoverAgeMs > handOverMs && this.#isOpen(to)) {
      this.#moves.push(
        isNeeded ? { kind: 'take', uid, epoch, to, gone: null } : { kind: 'hand-over', uid, epoch, to: null },
      );
    }
  }

  #handOver({ uid, epoch, nodeId }: StreamPlace): void {
    const isDrained = this.#members.get(nodeId)?.isDrained === true;
    const to = this.#best(
      uid,
      ({ id, cannotRecord }) =>
        id !== nodeId && this.#room.incoming(id) < handOversMax && (isDrained || !cannotRecord),
    );
    if (to === undefined) return;
    this.#room.move(nodeId, to, true);
    this.#moves.push({ kind: 'hand-over', uid, epoch, to });
  }

  /** Moves one stream from the most to the least loaded node, but only if that balances them. */
  #balance(places: readonly StreamPlace[]): void {
    if (places.some(({ nextNodeId }) => nextNodeId !== null)) return;
    const { knows, refused } = this.#input;
    const byLoad = this.#room.open
      .filter(({ cannotRecord }) => !cannotRecord)
      .toSorted((a, b) => this.#room.load(a) - this.#room.load(b));
    const [least, most] = [byLoad[0], byLoad.at(-1)];
    if (!least || !most || !this.#room.hasRoom(least)) return;
    if (this.#room.count(most.id) - this.#room.count(least.id) < 2) return;
    if (this.#room.load(most) <= this.#room.load(least)) return;
    const own = places.filter(({ nodeId, uid }) => nodeId === most.id && !refused(least.id, uid));
    const place = own.find(({ uid }) => knows(least.id, uid)) ?? own[0];
    if (!place) return;
    this.#moves.push({ kind: 'hand-over', uid: place.uid, epoch: place.epoch, to: least.id });
  }

  #best(uid: string, allows?: (member: PlacedMember) => boolean): string | undefined {
    const { knows, refused } = this.#input;
    const rank = (id: string) => (knows(id, uid) ? 1 : 0) - (refused(id, uid) ? 2 : 0);
    return this.#room.best(rank, allows);
  }
}
