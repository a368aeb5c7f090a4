export { start as default } from '../postgres.js';
