import { option, type Session } from '../../command.js';
import { readSecret } from '../../terminal.js';

export const codeOption = option('--code <code>', 'code of your second factor, where your password is needed again');

interface Given {
  code?: string | undefined;
  /** True if the operator's own password comes from standard input. */
  fromStdin?: boolean;
}

/** Proves the operator's identity: by a code if given, else by the password. */
export const proofOf = async (session: Session, { code, fromStdin = false }: Given) =>
  code === undefined ? { current_password: await passwordOf(session, fromStdin) } : { code };

/** The operator's own password, from the configuration or typed. */
export async function passwordOf({ config, terminal }: Session, fromStdin: boolean): Promise<string> {
  const configured = fromStdin ? undefined : config.credentials.password;
  return configured ?? (await readSecret(terminal, 'Your password', fromStdin));
}
