/**
 * Child process: posts one body for each job of a graphile-worker queue, as many at once as the service's worker. The
 * first message is its task. Answers `{ took, cpu }`: seconds, and microseconds of this process's CPU. This queue
 * promises less. It retries each job by itself, so bodies of one package arrive in any order, and it never puts several
 * movements into one body. It signs nothing, checks no address and records no attempt. A dead receiver occupies all of
 * its jobs.
 */
import { Agent } from 'node:https';
import got from 'got';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

async function measure({ databaseUrl, urls, ca, posts, body, concurrency }) {
  const agent = { https: new Agent({ keepAlive: true, ca, scheduling: 'lifo' }) };
  const headers = { 'content-type': 'application/json', authorization: 'Basic YmVuY2g6YmVuY2g=' };
  const options = { headers, body, agent, retry: { limit: 0 }, followRedirect: false, timeout: { request: 15_000 } };
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  let done = 0;
  let finished = () => undefined;
  const taskList = {
    post: async ({ url }) => {
      await got.post(url, options);
      done += 1;
      if (done === urls.length + posts || done === urls.length) finished();
    },
  };
  // One statement adds all jobs, because the cost of adding them singly is not measured.
  const add = (count) =>
    pgPool.query(
      `select count(*) from graphile_worker.add_jobs(array(select row('post', json_build_object('url', ($1::text[])[1 + n % $2]),
        null, now(), 1, null, null, null)::graphile_worker.job_spec from generate_series(0, $3 - 1) n))`,
      [urls, urls.length, count],
    );
  const all = async (count) => {
    const over = new Promise((resolve) => {
      finished = resolve;
    });
    await add(count);
    const [started, before] = [performance.now(), process.cpuUsage()];
    const runner = await run({ pgPool, logger, concurrency, taskList, noHandleSignals: true });
    await over;
    const { user, system } = process.cpuUsage(before);
    const took = (performance.now() - started) / 1000;
    await runner.stop();
    return { took, cpu: user + system };
  };
  await all(urls.length);
  const spent = await all(posts);
  await utils.release();
  await pgPool.query('drop schema graphile_worker cascade');
  await pgPool.end();
  agent.https.destroy();
  return spent;
}

process.on('message', async (job) => {
  process.send(await measure(job));
});
process.on('disconnect', () => process.exit());
