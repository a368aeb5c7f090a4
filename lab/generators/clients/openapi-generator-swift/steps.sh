source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
language=swift6
properties=projectName=Malote${CONTRACT:-}

install() { install_generator; }
