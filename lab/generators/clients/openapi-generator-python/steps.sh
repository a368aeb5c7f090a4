source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
source "$ROOT/lab/generators/clients/shared/python.sh"
language=python
properties=packageName=malote_${CONTRACT:-}

install() {
  install_generator
  packages pydantic==2.14.3 python-dateutil==4.0.0 urllib3==2.8.0 typing-extensions==4.16.0 lazy-imports==1.2.0
}

compile() {
  mv "$CONTRACT/malote_$CONTRACT" .
  check "malote_$CONTRACT"
}

drive() { python drive.py; }
