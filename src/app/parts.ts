import type { ConfiguredWorker } from '../webhook/index.js';
import type { Accounts } from './accounts.js';
import type { Context } from './context.js';
import type { Database } from './database.js';
import type { Orders } from './orders.js';

export interface Parts extends Context, Database, Accounts, Orders {
  worker: ConfiguredWorker;
}
