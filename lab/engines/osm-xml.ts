export type Box = readonly [south: number, west: number, north: number, east: number];
export type Tags = Record<string, string>;
export interface LatLon {
  latitude: number;
  longitude: number;
}

/** Collects nodes, ways and relations under ascending ids. */
export class MapWriter {
  readonly #parts: Record<'node' | 'way' | 'relation', string[]> = { node: [], way: [], relation: [] };

  #add(kind: 'node' | 'way' | 'relation', attributes: string, inner: string, tags: Tags): number {
    const id = this.#parts[kind].length + 1;
    const written = Object.entries(tags).map(([k, v]) => `<tag k="${escaped(k)}" v="${escaped(v)}"/>`);
    this.#parts[kind].push(`<${kind} id="${id}" version="1"${attributes}>${inner}${written.join('')}</${kind}>`);
    return id;
  }

  node({ latitude, longitude }: LatLon, tags: Tags = {}): number {
    return this.#add('node', ` lat="${latitude.toFixed(7)}" lon="${longitude.toFixed(7)}"`, '', tags);
  }

  way(nodes: readonly number[], tags: Tags): number {
    return this.#add('way', '', nodes.map((id) => `<nd ref="${id}"/>`).join(''), tags);
  }

  boundary([south, west, north, east]: Box, tags: Tags): void {
    const corners = [
      [south, west],
      [south, east],
      [north, east],
      [north, west],
    ] as const;
    const nodes = corners.map(([latitude, longitude]) => this.node({ latitude, longitude }));
    const ring = this.way([...nodes, ...nodes.slice(0, 1)], { boundary: 'administrative' });
    const member = `<member type="way" ref="${ring}" role="outer"/>`;
    this.#add('relation', '', member, { type: 'boundary', boundary: 'administrative', ...tags });
  }

  toXml(): string {
    const { node, way, relation } = this.#parts;
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<osm version="0.6">',
      ...node,
      ...way,
      ...relation,
      '</osm>',
      '',
    ].join('\n');
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
