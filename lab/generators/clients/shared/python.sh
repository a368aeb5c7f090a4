# What the steps of generators for Python have in common; sourced by them.
environment="$CACHE/python/$(basename "$PWD")-$VERSION"
PATH="$environment/bin:$PATH"

# Installs packages of PyPI into an environment of their own: packages NAME==VERSION…
packages() {
  command -v python3 >/dev/null || exit 77
  [ -f "$environment/complete" ] && return
  python3 -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet "$@"
  touch "$environment/complete"
}

# Imports every module of a package.
check() { python "$ROOT/lab/generators/clients/shared/import_all.py" "$1"; }
