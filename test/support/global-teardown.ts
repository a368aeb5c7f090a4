export default async function teardown(): Promise<void> {
  const { stop } = await import('./postgres.js');
  await stop();
}
