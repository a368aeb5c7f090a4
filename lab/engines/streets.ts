/**
 * Makes maps for OSRM from the street lines of cities. Each city has a folder of GeoJSON files `lns_*.geojson`, as in
 * `data/<state>/<city>/<pack>/via` of https://github.com/digital-guard/preservCutGeo-BR2021 (lines: CC0).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields, listIn } from '../../src/base/values.js';

type Position = readonly [longitude: number, latitude: number];

/** Ends of lines this near to each other are one crossing: so many steps per degree, about 11 m each. */
const CELLS = 10_000;

/** Nodes by their cell, and for each node the next one towards the representative of its connected part. */
class Network {
  readonly nodes: Position[] = [];
  readonly ways: number[][] = [];
  private readonly byCell = new Map<string, number>();
  private readonly next: number[] = [];

  add(line: readonly Position[]): void {
    const way = line.map((position) => this.nodeAt(position)).filter((node, at, all) => node !== all[at - 1]);
    if (way.length < 2) return;
    this.ways.push(way);
    const [first = 0, ...others] = way;
    for (const node of others) this.next[this.partOf(node)] = this.partOf(first);
  }

  /** The ways of the largest connected part. Elsewhere the lines do not show how streets connect. */
  largestPart(): number[][] {
    const parts = new Map<number, number[][]>();
    for (const way of this.ways) listIn(parts, this.partOf(way[0] ?? 0), way);
    return [...parts.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  }

  private nodeAt(position: Position): number {
    const cell = position.map((degrees) => Math.round(degrees * CELLS)).join();
    const known = this.byCell.get(cell);
    if (known !== undefined) return known;
    this.byCell.set(cell, this.nodes.length);
    this.next.push(this.nodes.length);
    return this.nodes.push(position) - 1;
  }

  private partOf(node: number): number {
    let at = node;
    for (let next = this.next[at]; next !== undefined && next !== at; next = this.next[at]) {
      this.next[at] = this.next[next] ?? next;
      at = next;
    }
    return at;
  }
}

function linesOf(folder: string): Position[][] {
  const files = readdirSync(folder).filter((name) => name.startsWith('lns_'));
  return files.flatMap((name) => {
    const { features }: { features: { geometry: unknown }[] } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return features.flatMap(({ geometry }) => positionsOf(geometry));
  });
}

function positionsOf(geometry: unknown): Position[][] {
  if (!isFields(geometry) || !Array.isArray(geometry['coordinates'])) return [];
  return geometry['type'] === 'LineString' ? [geometry['coordinates']] : geometry['coordinates'];
}

/** The map of several cities as OSM XML. No road connects the cities. */
export function osmOf(folders: readonly string[]): string {
  const parts: string[] = [];
  let [nodes, ways] = [0, 0];
  for (const folder of folders) {
    const network = new Network();
    for (const line of linesOf(folder)) network.add(line);
    const first = nodes + 1;
    for (const [longitude, latitude] of network.nodes)
      parts.push(`<node id="${++nodes}" version="1" lat="${latitude}" lon="${longitude}"/>`);
    for (const way of network.largestPart()) {
      const refs = way.map((node) => `<nd ref="${first + node}"/>`).join('');
      parts.push(`<way id="${++ways}" version="1">${refs}<tag k="highway" v="residential"/></way>`);
    }
  }
  // In OSM XML all nodes precede the ways.
  parts.sort((a, b) => Number(a.startsWith('<way')) - Number(b.startsWith('<way')));
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<osm version="0.6">', ...parts, '</osm>', ''].join('\n');
}
