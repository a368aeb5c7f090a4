export { latency } from './latency.js';
export { movements } from './movements.js';
export { openStage } from './stage.js';
export { backlog, flat, rate } from './throughput.js';
