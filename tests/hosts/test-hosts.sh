#!/usr/bin/env bash
# Tests each adapter against the real tool from PyPI, in an environment of its
# own under .venv-hosts, as many at once as there are processors. Arguments name
# tools; without them, all.
# With --setup, it makes the environments and tests nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
HOSTS="torchmetrics mlflow inspect_ai lm_eval phoenix evaluate llama_index langchain pytest_plugin"
# The versions that a change here is tested against; newer ones of what they
# need are taken as they come.
packages() {
  case $1 in
    evaluate) echo evaluate==0.4.6 ;;
    inspect_ai) echo inspect_ai==0.3.285 trio ;;
    langchain) echo langchain-classic==1.0.8 ;;
    llama_index) echo llama-index-core==0.14.25 ;;
    lm_eval) echo lm_eval==0.4.13 ;;
    mlflow) echo mlflow==3.17.2 ;;
    phoenix) echo arize-phoenix-evals==3.9.4 ;;
    pytest_plugin) ;;
    torchmetrics) echo torchmetrics==1.9.0 torch==2.13.0 ;;
    *) echo "$1 is no host; choose from: $HOSTS" >&2; return 1 ;;
  esac
}
setup() {
  local python=.venv-hosts/$1/bin/python wanted
  wanted=$(packages "$1")
  test -x "$python" || .venv-hosts/uv/bin/uv venv --quiet --python "${PYTHON:-python3}" ".venv-hosts/$1"
  # shellcheck disable=SC2086 - several packages
  .venv-hosts/uv/bin/uv pip install --quiet --python "$python" pytest==9.2.0 --editable . $wanted
}
check() {
  local begin=$SECONDS log=.venv-hosts/$1.log options="-q --noconftest -p no:cacheprovider -o filterwarnings="
  # shellcheck disable=SC2086 - several options
  if setup "$1" >"$log" 2>&1 && { $SETUP_ONLY || ".venv-hosts/$1/bin/python" -m pytest $options "tests/hosts/test_$1.py" >>"$log" 2>&1; }; then
    echo "$1: $(tail -n 1 "$log") [$((SECONDS - begin)) s]"
  else
    cat "$log"
    echo "$1: failed"
    return 1
  fi
}
export -f packages setup check
export HOSTS SETUP_ONLY=false
if [[ ${1:-} == --setup ]]; then SETUP_ONLY=true; shift; fi
begin=$SECONDS
# uv makes an environment in seconds; what pip was told, it is told too.
test -x .venv-hosts/uv/bin/uv || { "${PYTHON:-python3}" -m venv .venv-hosts/uv && .venv-hosts/uv/bin/python -m pip install --quiet uv; }
export UV_FIND_LINKS=${PIP_FIND_LINKS:-} UV_HTTP_TIMEOUT=180
if [[ -n ${PIP_INDEX_URL:-} ]]; then export UV_DEFAULT_INDEX=$PIP_INDEX_URL; fi
# shellcheck disable=SC2086 - a list
printf '%s\n' "${@:-$HOSTS}" | tr ' ' '\n' | xargs -P "$(nproc)" -I HOST bash -c 'set -euo pipefail; check HOST'
echo "all hosts: $((SECONDS - begin)) s"
