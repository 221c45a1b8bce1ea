# Runs a module of scripts/engine with Python 3, which is installed first where it is missing and that is possible.

exec_python() {
    command -v python3 >/dev/null || install_python
    PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 exec python3 -m "$@"
}

install_python() {
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3)
    if command -v apt-get >/dev/null; then
        echo "• Installing python3" >&2
        if [ "$(id -u)" = 0 ]; then
            { "${install[@]}" || { apt-get update -qq && "${install[@]}"; }; } >&2 && return
        elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            { sudo -n "${install[@]}" || { sudo -n apt-get update -qq && sudo -n "${install[@]}"; }; } >&2 && return
        fi
    fi
    echo "This script needs Python 3.9 or newer. Install it and run this again, on Debian with:" >&2
    echo "  sudo apt-get install python3" >&2
    exit 1
}
