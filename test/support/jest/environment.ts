/** Replaces Jest's environments: tests run in the process as it is, see runtime.ts. */
export default class NativeEnvironment {
  global = {};
  setup = async () => undefined;
  teardown = async () => undefined;
  getVmContext = () => null;
}
