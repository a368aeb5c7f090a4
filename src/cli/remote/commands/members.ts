import { memberRoles } from '../../../base/actor.js';
import { command, flag, oneOf, option, passwordStdin, required } from '../../command.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';
import { codeOption, proofOf } from './proof.js';

const role = oneOf('--role <role>', 'what the member may do', memberRoles);
const keepApiKeys = flag('--keep-api-keys', "leave the member's API keys, and the account's own");
const proof = { code: codeOption, passwordStdin };

/** Commands about members. A link is shown only once. */
export const members = {
  listUserMembers: operation('listUserMembers', 'members list <user>', {
    summary: "List the people who sign in for an account, newest first; the account's own sign-in comes last.",
    example: 'ana@example.com',
    show: table<AnswerOf<'getUserMember'>>([
      'id',
      'email',
      'name',
      'role',
      'state',
      'second_factor',
      'created_at as since',
    ]),
  }),
  getUserMember: operation('getUserMember', 'members show <user> <member>', {
    summary: 'Show a person who signs in for an account.',
  }),
  inviteUserMember: command({
    usage: 'members invite <user>',
    summary: 'Add a person to an account. Pass the link on to that person only: it works once, for 72 hours.',
    example: "ana@example.com --name 'Bia Ramos' --email bia@example.com --role shipper",
    options: {
      name: required(option('--name <name>', 'name of the person')),
      email: required(option('--email <address>', 'e-mail address to sign in with')),
      role: required(role),
      ...proof,
    },
    run: async (session, { code, passwordStdin: fromStdin = false, ...person }, id) => {
      const body = { ...person, ...(await proofOf(session, { code, fromStdin })) };
      session.print.record(await session.call('inviteUserMember', { path: { id }, body }));
    },
  }),
  updateUserMember: command({
    usage: 'members update <user> <member>',
    summary: 'Change the name or the role of a member; what is not given stays. Another role signs the member out.',
    example: 'ana@example.com 01930f74-6c1f-7a02-8d35-3f2e1d0c9b8c --role viewer',
    options: { name: option('--name <name>', 'new name'), role, keepApiKeys, ...proof },
    run: async (session, { code, passwordStdin: fromStdin = false, keepApiKeys: keeps, ...changes }, id, member_id) => {
      const path = { id, member_id };
      const { name, role } = await session.call('getUserMember', { path });
      const body = { name, role, ...changes, ...(await proofOf(session, { code, fromStdin })) };
      const query = { keep_api_keys: keeps === true };
      session.print.record(await session.call('updateUserMember', { path, query, body }));
    },
  }),
  makeMemberPasswordLink: command({
    usage: 'members link <user> <member>',
    summary: 'Make a link for a new password. Pass it on to the member only: it works once, for an hour.',
    example: 'ana@example.com 01930f74-6c1f-7a02-8d35-3f2e1d0c9b8c',
    options: proof,
    run: async (session, { code, passwordStdin: fromStdin = false }, id, member_id) => {
      const body = await proofOf(session, { code, fromStdin });
      session.print.record(await session.call('makeMemberPasswordLink', { path: { id, member_id }, body }));
    },
  }),
  removeUserMemberSecondFactor: command({
    usage: 'members remove-second-factor <user> <member>',
    summary:
      "Remove a second factor that a person of an account has lost, and sign the person out. The account's own sign-in has the id of the user.",
    example: 'ana@example.com 01930f74-6c1f-7a02-8d35-3f2e1d0c9b8c',
    options: proof,
    run: async (session, { code, passwordStdin: fromStdin = false }, id, member_id) => {
      const body = await proofOf(session, { code, fromStdin });
      await session.call('removeUserMemberSecondFactor', { path: { id, member_id }, body });
      session.print.say('Removed.');
    },
  }),
  removeUserMember: operation('removeUserMember', 'members remove <user> <member>', {
    summary: 'Remove a person from an account: signed out everywhere within a second.',
    options: { keep_api_keys: ['--keep-api-keys', "leave the member's API keys, and the account's own"] },
    says: 'Removed.',
  }),
};
