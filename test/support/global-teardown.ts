export { stop as default } from './postgres.js';
