/// The toast (contract: domain, section 4.4).
extension Transition {
    mutating func showToast(_ kind: String) {
        let toast = Toast(
            kind: kind, until: now.advanced(byMilliseconds: policy.toastMilliseconds))
        state.toast = toast
        emit(.showToast(toast))
    }

    mutating func expireToast() {
        state.toast = nil
        published = ["type": "toast.expired"]
    }
}
