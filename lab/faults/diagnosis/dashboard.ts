/**
 * Draws the dashboard's panels in a browser from the answers of a Prometheus, because Grafana is not installed: npx tsx
 * lab/faults/diagnosis/dashboard.ts http://127.0.0.1:9090 dashboard.png [minutes]. During a trial, its Prometheus
 * listens on port 9090 of an address that `ss -ltn` shows.
 */
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

interface Panel {
  title: string;
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
  targets?: { expr: string; legendFormat: string }[];
  fieldConfig?: { defaults: { unit?: string } };
}

interface Series {
  metric: Record<string, string>;
  values: [at: number, value: string][];
}

const [url = '', file = 'dashboard.png', minutes = '15'] = process.argv.slice(2);
const STEP_S = 15;
const until = Date.now() / 1000;
const since = until - Number(minutes) * 60;
const [CELL, LINE] = [64, 34];
const [WIDTH, HEIGHT] = [100, 60];

async function seriesOf({ expr, legendFormat }: NonNullable<Panel['targets']>[number]) {
  const query = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
  const parameters = new URLSearchParams({ query, start: String(since), end: String(until), step: String(STEP_S) });
  const answer = await fetch(`${url}/api/v1/query_range?${parameters}`);
  if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
  const { data }: { data: { result: Series[] } } = JSON.parse(await answer.text());
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
    points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
  }));
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const colour = (index: number): string => `hsl(${(index * 67) % 360} 65% 42%)`;

async function drawn({ title, gridPos: { x, y, w, h }, targets = [], fieldConfig }: Panel): Promise<string> {
  const place = `left:${x * CELL}px;top:${y * LINE}px;width:${w * CELL - 8}px;height:${h * LINE - 8}px`;
  if (targets.length === 0) return `<h2 style="${place}">${escaped(title)}</h2>`;
  const all = (await Promise.all(targets.map(seriesOf))).flat();
  const most = Math.max(...all.flatMap(({ points }) => points.map(([, value]) => value)), 1e-9);
  const lines = all.map(({ points }, index) => {
    const path = points.map(
      ([at, value]) => `${((at - since) / (until - since)) * WIDTH},${HEIGHT - (value / most) * HEIGHT}`,
    );
    return `<polyline points="${path.join(' ')}" stroke="${colour(index)}"/>`;
  });
  const legend = all.map(
    ({ name, points }, index) =>
      `<span style="color:${colour(index)}">${escaped(name)} <b>${Number((points.at(-1)?.[1] ?? 0).toPrecision(3))}</b></span>`,
  );
  const top = `${Number(most.toPrecision(3))} ${fieldConfig?.defaults.unit ?? ''}`;
  return `<section style="${place}"><h3>${escaped(title)} <small>${all.length > 0 ? `to ${top}` : 'no data'}</small></h3>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${lines.join('')}</svg><p>${legend.join(' ')}</p></section>`;
}

const dashboard = new URL('../../../deploy/observability/dashboard.json', import.meta.url);
const { panels }: { panels: Panel[] } = JSON.parse(await readFile(dashboard, 'utf8'));
const STYLE = `body{font:11px sans-serif;margin:0} section,h2{position:absolute;margin:4px;overflow:hidden}
  section{border:1px solid #ccc;display:flex;flex-direction:column} h3{margin:3px;font-size:12px} small{color:#777}
  svg{flex:1;min-height:60px} polyline{fill:none;vector-effect:non-scaling-stroke;stroke-width:1.5} p{margin:3px}`;
const page = `<style>${STYLE}</style>${(await Promise.all(panels.map(drawn))).join('')}`;
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const tab = await browser.newPage({ viewport: { width: 24 * CELL, height: 3_000 } });
await tab.setContent(page);
await tab.screenshot({ path: file, fullPage: true });
await browser.close();
