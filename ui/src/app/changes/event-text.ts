/** One event of the stream. */
interface TextEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: string;
}

/** Cuts the text of an event stream into events (HTML Living Standard, 9.2.6), as far as the server uses the format. */
export class EventText {
  #rest = '';

  /** The events that are complete with this text. */
  push(text: string): TextEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const colon = line.indexOf(': ');
        if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
      }
      const name = fields.get('event');
      const data = fields.get('data');
      return name === undefined || data === undefined ? [] : [{ id: fields.get('id'), name, data }];
    });
  }
}
