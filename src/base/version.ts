import packageJson from '../../package.json' with { type: 'json' };

/** Of this build, as in its package. */
export const { version } = packageJson;
