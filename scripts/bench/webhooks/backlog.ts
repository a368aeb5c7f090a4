import { judge, spread } from '../../../test/support/figures.js';
import { enqueueAll, seed } from '../../../test/support/processes/seed.js';
import { cost, counted } from './counted.js';
import { type Stage, until } from './stage.js';

const GOAL = 15_000;
const AIM = 20_000;
const ROUNDS = 3;

/** Notifications per second from a backlog, up to 50 for each body, 5 % of the endpoints dead. */
export async function backlog(stage: Stage): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 2_000, movements: 6 });
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alive = (await enqueueAll(stage.db, 2)) * 0.95;
    let notifications = 0;
    const { sender, stop } = counted(stage, (body) => {
      notifications += body.toString('latin1').split('"loggiKey"').length - 1;
    });
    sender.start();
    const { took, cpu } = await cost(() => until(() => notifications >= alive));
    await stop();
    all.push(alive / took);
    console.log(
      `  ${(alive / took).toFixed(0)} notifications/s, ${(cpu / alive).toFixed(1)} µs of the sender's CPU each`,
    );
  }
  judge('backlog: notifications/s, aim', spread(all), AIM, 'at least');
  return judge('backlog: notifications/s', spread(all), GOAL, 'at least');
}
