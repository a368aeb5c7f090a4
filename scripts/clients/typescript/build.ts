/** Writes the package malote-client into the folder. */
export async function typescript(_folder: string): Promise<void> {
  throw new Error('is not made yet');
}
