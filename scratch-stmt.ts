import { withOneOrder } from './scripts/bench/graphql/one-order.js';
import { openStage } from './scripts/bench/graphql/stage.js';
import { templatesOf, pgbenchScript } from './scripts/bench/graphql/statements.js';
const stage = await openStage();
for (const s of stage.statements) console.log('RECORDED', s.text.slice(0, 300), JSON.stringify(s.values).slice(0, 200));
const t = templatesOf(withOneOrder(stage.statements), [stage.customer.accountId]);
console.log(t.length, pgbenchScript(t).script);

import { writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
const { script, variables } = pgbenchScript(t);
await writeFile('/tmp/wt-scratch-together/x.sql', script);
const u = new URL(stage.databaseUrl);
console.log('====', u.href);
try {
const out = execFileSync('pgbench', ['-n', '-M', 'prepared', '-c', '2', '-f', '/tmp/wt-scratch-together/x.sql', ...[...variables].flatMap(([n, v]) => ['-D', `${n}=${v}`]), '-D', 'turn=100100000000', '-T', '2'], { env: { PGHOST: u.searchParams.get('host') ?? u.hostname, PGPORT: u.port, PGUSER: u.username, PGPASSWORD: u.password, PGDATABASE: u.pathname.slice(1) }, encoding: 'utf8' });
console.log(out);
} catch (e) { console.log(String(e).slice(-3000)); }
console.log(await stage.query('select count(*) as n, (select count(*) from packages) as p from orders'));
await stage.close();
